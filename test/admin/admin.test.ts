// Runs in: soak
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { verify } from '@node-rs/argon2';
import t from 'tap';
import { runAdmin } from '../../control-plane/admin/cli.js';
import { printedBy } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { digestOf } from '../harness/images.js';
import { addHost, rent } from '../harness/renting.js';

type Json = Record<string, unknown>;

/** Runs a command beside the service and answers its JSON; `stdin` is what it may read. */
async function admin(service: Pick<Harness, 'data'>, argv: string[], stdin = ''): Promise<Json> {
  const { code, out } = await printedBy([...argv, '--data', service.data, '--json'], { readLine: async () => stdin });
  return code === 0 ? JSON.parse(out) : { exit: code };
}

t.test('an operator creates an account, a user and a key, and the key works immediately', async (t) => {
  const service = await startHarness(t);
  const org = await admin(service, ['org', 'create', '--name', 'Ciderworks & Söhne']);
  t.match(org, { id: Number, org_id: /^org_[a-z0-9]+$/, workspace_id: /^ws_/ });
  const made = await admin(service, [
    'key',
    'create',
    '--org',
    String(org.org_id),
    '--name',
    'ci',
    '--levels',
    'read,build',
    '--cidrs',
    '127.0.0.1,10.0.0.0/8',
    '--expires',
    '2027-01-01',
  ]);
  t.match(made, { key: /^cm_[0-9A-Za-z]{36}$/, key_id: /^key_/ });
  const me = await service.call('GET', '/me', { key: String(made.key) });
  t.match(me.json(), {
    account: { id: org.id, slug: 'ciderworks-sohne', name: 'Ciderworks & Söhne' },
    key: { levels: ['read', 'build'], cidrs: ['127.0.0.1/32', '10.0.0.0/8'] },
    workspace_id: org.workspace_id,
  });
  const keys = await admin(service, ['key', 'list', '--org', 'ciderworks-sohne']);
  t.match(keys, { keys: [{ key_id: made.key_id, name: 'ci', revoked_at: null }] });
  t.notMatch(JSON.stringify(keys), String(made.key));

  const person = ['user', 'create', '--email', 'Ann@Example.com', '--password-stdin'];
  const user = await admin(service, [...person, '--org', String(org.id), '--role', 'owner'], 'correct horse');
  t.match(user, { user_id: /^user_/, email: 'ann@example.com' });
  const stored = await service.store.get<{ password_hash: string; role: string }>(
    'SELECT u.password_hash, m.role FROM users u JOIN members m ON m.user_id = u.user_id',
  );
  t.equal(stored?.role, 'owner');
  t.ok(await verify(stored?.password_hash ?? '', 'correct horse'));
  t.same(await admin(service, person, 'another horse'), { exit: 65 }, 'the e-mail is taken');
});

t.test("a key cannot be created for another organization's workspace", async (t) => {
  const service = await startHarness(t);
  const create = (workspace: string) =>
    admin(service, [
      'key',
      'create',
      '--org',
      service.org.orgId,
      '--name',
      'ci',
      '--levels',
      'read',
      '--workspace',
      workspace,
    ]);
  const count = async () => (await service.apiKeys.list(service.org.id)).length;
  const before = await count();
  t.same(await create(service.other.workspaceId), { exit: 65 });
  t.same(await create('ws_none'), { exit: 65 });
  t.equal(await count(), before);
  t.match(await create(service.org.workspaceId), { key: String });
  const moved = service.store.transaction((tx) =>
    tx.run('UPDATE api_keys SET workspace_id = :workspace WHERE account_id = :account', {
      workspace: service.other.workspaceId,
      account: service.org.id,
    }),
  );
  await t.rejects(moved, { name: 'ConstraintError' }, 'refused by the database');
});

t.test('an operator lists users and resets a password', async (t) => {
  const service = await startHarness(t);
  const cookie = await service.signIn('owner', { email: 'ann@example.com' });
  const change = (email: string, password: string) =>
    admin(service, ['user', 'set-password', email, '--password-stdin'], password);
  t.match(await admin(service, ['user', 'list']), {
    users: [{ user_id: /^user_/, email: 'ann@example.com', name: null, operator: false }],
  });
  t.same(await change('nobody@example.com', 'a new password'), { exit: 65 });
  t.same(await change('ann@example.com', 'short'), { exit: 65 });
  const session = () => service.callConsole('GET', '/v1/session', { key: null, headers: { cookie } });
  t.equal((await session()).statusCode, 200);
  t.match(await change(' Ann@Example.com', 'a new password'), { email: 'ann@example.com' });
  t.equal((await session()).statusCode, 401, 'sessions end');
  const body = { email: 'ann@example.com', password: 'a new password' };
  t.equal((await service.callConsole('POST', '/v1/session', { key: null, body })).statusCode, 200);
});

t.test("an operator's changes apply to the next request", async (t) => {
  const service = await startHarness(t);
  const { org, call } = service;
  const code = async () => (await call('GET', '/me')).json().error?.code ?? 'none';
  t.equal(await code(), 'none');
  await admin(service, ['org', 'suspend', org.orgId]);
  t.equal(await code(), 'organization_suspended');
  t.match(await admin(service, ['org', 'list']), { organizations: [{ status: 'suspended' }, {}] });
  await admin(service, ['org', 'resume', org.orgId]);
  t.equal(await code(), 'none');
  await admin(service, ['org', 'block-payments', org.orgId]);
  t.equal((await call('GET', '/me')).json().account.payments_blocked, true);
  await admin(service, ['org', 'unblock-payments', org.orgId]);
  t.equal((await call('GET', '/me')).json().account.payments_blocked, false);
  const keyId = (await call('GET', '/me')).json().key.id;
  t.same(await admin(service, ['key', 'revoke', keyId]), { key_id: keyId, revoked: true });
  t.equal(await code(), 'invalid_api_key');
  t.same(await admin(service, ['key', 'revoke', keyId]), { exit: 65 }, 'twice is once');
});

t.test('tiers appear in the catalog', async (t) => {
  const service = await startHarness(t);
  const add = ['tier', 'add', '--tier', 'm4', '--name', 'Mac mini M4', '--price-won', '12000', '--chip', 'Apple M4'];
  const made = await admin(service, [...add, '--cpu-cores', '10', '--xcode', '16.2,26.0', '--runtimes', 'iOS 18.2']);
  t.match(made, { tier: 'm4', default_xcode: '26.0', sales_open: true, max_days: 30 });
  t.same(await admin(service, add), { exit: 65 }, 'the id is taken');
  await admin(service, ['tier', 'edit', '--tier', 'm4', '--price-won', '11000', '--sales-open', 'false']);
  t.same((await service.call('GET', '/catalog')).json().tiers, [
    {
      tier: 'm4',
      name: 'Mac mini M4',
      price_won: 11_000,
      period_hours: 24,
      spec: { chip: 'Apple M4', cpu_cores: 10, memory_gb: 0, disk_gb: 0, macos: '' },
      xcode_versions: ['16.2', '26.0'],
      default_xcode: '26.0',
      runtimes: ['iOS 18.2'],
      tools: [],
      available_now: 0,
      sales_open: false,
      max_days: 30,
      waitlist: [],
    },
  ]);
  t.same(await admin(service, ['tier', 'edit', '--tier', 'm5', '--name', 'x']), { exit: 65 });
  t.same(await admin(service, ['tier', 'edit', '--tier', 'm4', '--default-xcode', '9']), { exit: 65 });
  t.match(await admin(service, ['tier', 'list']), { tiers: [{ tier: 'm4', price_won: 11_000 }] });
});

t.test("an operator's changes to a host are available to orders immediately", async (t) => {
  const service = await startHarness(t);
  const host = await addHost(service, 2);
  const { hostId } = host;
  const free = async (key = service.keys.all) =>
    (await service.call('POST', '/quote', { key, body: { tier: 'm4', hours: 24 } })).json().available_now;
  const set = (...options: string[]) => admin(service, ['host', 'set', hostId, ...options]);
  t.equal(await free(), 2);
  t.match(await set('--slots', '3'), { hosts: [{ host_id: hostId, tier: 'm4', shared: false }] });
  t.match(await admin(service, ['host', 'list']), { hosts: [{ host_id: hostId, slots: 3 }] });
  t.equal(await free(), 3);
  await rent(service, host);
  t.equal(await free(service.other.key), 0);
  t.match(await set('--shared', 'true'), { hosts: [{ shared: true }] });
  t.equal(await free(service.other.key), 2);
  await admin(service, ['tier', 'add', '--tier', 'm2', '--price-won', '5000']);
  t.same(await set('--tier', 'm2'), { exit: 65 }, 'a Mac of it is rented');
  t.same(await set('--tier', 'none'), { exit: 65 });
  t.same(await set('--slots', '0'), { exit: 65 });
  t.same(await set('--shared', 'perhaps'), { exit: 64 });
  await admin(service, ['tier', 'edit', '--tier', 'm4', '--sales-open', 'false']);
  t.equal(await free(), 0);
});

t.test('an operator refunds an order', async (t) => {
  const service = await startHarness(t);
  const host = await addHost(service, 1);
  const refund = (orderNo: string) => admin(service, ['order', 'refund', orderNo]);
  t.same(await refund('RT-0'), { exit: 65 });
  await rent(service, host);
  const [{ order_no }] = (await service.call('GET', '/orders')).json().orders;
  t.match(await refund(order_no), { order_no, status: 'ready', refunded_won: 10_000 });
  t.match(await service.store.all('SELECT order_no, amount_won, status FROM payment_cancellations'), [
    { order_no, amount_won: 10_000 },
  ]);
  t.same(await refund(order_no), { exit: 65 }, 'once');
});

t.test('a host is enrolled, approved, drained and removed', async (t) => {
  const service = await startHarness(t);
  await admin(service, ['tier', 'add', '--tier', 'm4']);
  const made = await admin(service, ['host', 'enroll', '--slots', '2', '--name', 'rack-1']);
  t.match(made, { token: /^cme_/, expires_at: String });
  t.same(await admin(service, ['host', 'enroll', '--tier', 'none']), { exit: 65 });
  t.same(await admin(service, ['host', 'list']), { hosts: [] });
  t.same(await admin(service, ['host', 'drain', 'host_none']), { exit: 65 });
});

t.test('an invalid command prints an error and changes nothing', async (t) => {
  const service = await startHarness(t);
  for (const argv of [
    ['org', 'create'],
    ['org', 'paint'],
    ['key', 'create', '--org', '1', '--name', 'x', '--levels', 'read,fly'],
    ['tier', 'add', '--tier', 'x', '--sales-open', 'maybe'],
    ['user', 'create', '--email', 'a@b.c', '--password-stdin', '--role', 'king'],
  ]) {
    t.same(await admin(service, argv), { exit: 64 }, argv.join(' '));
  }
  t.same(await admin(service, ['key', 'create', '--org', 'nobody', '--name', 'x', '--levels', 'read']), {
    exit: 65,
  });
  const cidrs = ['key', 'create', '--org', '1', '--name', 'x', '--levels', 'read', '--cidrs', '10.0.0.0/99'];
  t.same(await admin(service, cidrs), { exit: 65 });
  t.equal(await runAdmin(['org', 'list', '--data', join(service.data, 'nowhere')]), 66);
  t.match(await printedBy(['--help']), { code: 0 });
});

t.test('rotating the key reseals all secrets with the new key while the service runs', async (t) => {
  const service = await startHarness(t);
  const keyFile = join(service.data, 'secret.key');
  t.equal(statSync(keyFile).mode & 0o777, 0o600);
  await service.call('PUT', '/secrets/ONE', {
    body: { value: 'first' },
    headers: { 'idempotency-key': 'a' },
  });
  const before = readFileSync(keyFile, 'utf8');
  const rotated = await admin(service, ['secrets', 'rotate-key']);
  t.match(rotated, { key_id: /^k_/, resealed: 2 }, 'the secret and the stored answer');
  await service.call('PUT', '/secrets/TWO', { body: { value: 'second' } });
  const rows = await service.store.all<{ key_id: string }>('SELECT key_id FROM secrets');
  t.same(new Set(rows.map((row) => row.key_id)), new Set([rotated.key_id]));
  await admin(service, ['secrets', 'rotate-key']);
  const lines = readFileSync(keyFile, 'utf8').trim().split('\n');
  t.equal(lines.length, 2, 'the key before stays for what was just being sealed');
  t.notOk(lines.includes(before.trim()), 'older ones are forgotten');
  t.same(await service.secrets.reveal(service.org.id), [
    { name: 'ONE', value: 'first' },
    { name: 'TWO', value: 'second' },
  ]);
  const again = await service.call('PUT', '/secrets/ONE', {
    body: { value: 'first' },
    headers: { 'idempotency-key': 'a' },
  });
  t.equal(again.headers['idempotent-replayed'], 'true');
});

t.test('an operator on another machine runs the same commands with the operator token', async (t) => {
  const operatorToken = 'the-operator-of-this-mill';
  const service = await startHarness(t, { operatorToken });
  const url = await service.server.listen({ port: 0, host: '127.0.0.1' });
  const remote = async (argv: string[], { token = operatorToken, stdin = '' } = {}) => {
    process.env.CIDERMILL_OPERATOR_TOKEN = token;
    try {
      const { code, ...printed } = await printedBy([...argv, '--url', url], { readLine: async () => stdin });
      return { exit: code, ...printed };
    } finally {
      delete process.env.CIDERMILL_OPERATOR_TOKEN;
    }
  };

  const org = await remote(['org', 'create', '--name', 'Far Away', '--json']);
  t.match(JSON.parse(org.out), { org_id: /^org_/, workspace_id: /^ws_/ });
  const levels = ['key', 'create', '--org', 'far-away', '--name', 'ci', '--levels', 'read,build'];
  const key = JSON.parse((await remote([...levels, '--expires', '2027-01-01', '--json'])).out);
  t.match((await service.call('GET', '/me', { key: key.key })).json(), {
    account: { slug: 'far-away' },
    key: { levels: ['read', 'build'], expires_at: '2027-01-01T00:00:00.000Z' },
  });
  const person = ['user', 'create', '--email', 'far@example.com', '--password-stdin', '--org', 'far-away'];
  t.match(await remote(person, { stdin: 'surely long enough' }), {
    exit: 0,
    out: /^user_\S+ far@example\.com\n$/,
  });
  t.match(await remote(['org', 'list']), { exit: 0, out: /far-away +active/ }, 'text for people');

  t.match(await remote(person, { stdin: 'surely long enough' }), { exit: 65, err: /is in use/ });
  t.match(await remote(['tier', 'add', '--tier', 'x', '--max-days', 'many']), { exit: 64 });
  t.match(await remote(['backup', '/tmp/x.db']), { exit: 65, err: /on the machine of the service/ });
  t.match(await remote(['org', 'list'], { token: 'another-token-altogether' }), {
    exit: 77,
    err: /operator token/,
  });
  t.match(await remote(['org', 'list'], { token: '' }), { exit: 64, err: /CIDERMILL_OPERATOR_TOKEN/ });
  await service.server.close();
  t.match(await remote(['org', 'list']), { exit: 69, err: /does not answer/ });
});

t.test('the operator endpoint reveals nothing without the operator token', async (t) => {
  const operatorToken = 'an-operator-token-of-length';
  const service = await startHarness(t, { operatorToken });
  const post = (headers: Record<string, string>, body: unknown, path = 'org/create') =>
    service.inject({
      method: 'POST',
      url: `/api/operator/v1/${path}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(body),
    });
  const operator = { authorization: `Bearer ${operatorToken}` };
  const code = async (answer: ReturnType<typeof post>) => {
    const { statusCode, json } = await answer;
    return `${statusCode} ${json().error?.code}`;
  };
  const named = { name: 'Mill' };
  t.equal(await code(post({}, named)), '401 session_required');
  t.equal(await code(post({ authorization: `Bearer ${service.keys.all}` }, named)), '401 operator_token_required');
  t.equal(await code(post(operator, { argv: ['org', 'list'] })), '400 invalid_request');
  t.equal(await code(post(operator, { ...named, slogan: 'x' })), '400 invalid_request');
  t.equal(await code(post(operator, {}, 'org/paint')), '404 not_found');
  t.equal(await code(post(operator, { org: 'none' }, 'org/suspend')), '404 not_found');
  t.equal(
    (await service.inject({ method: 'GET', url: '/api/operator/v1/org/create', headers: operator })).statusCode,
    405,
  );
  const closed = await startHarness(t);
  const nobody = await closed.inject({
    method: 'POST',
    url: '/api/operator/v1/org/create',
    headers: { 'content-type': 'application/json', ...operator },
    payload: JSON.stringify(named),
  });
  t.equal(nobody.statusCode, 404, 'a service without operator token has no such address');
});

t.test('a key with an expiry in the past is rejected, and duplicate list entries are stored once', async (t) => {
  const service = await startHarness(t);
  const create = ['key', 'create', '--org', String(service.org.id), '--name', 'ci', '--levels', 'read,read'];
  t.same(await admin(service, [...create, '--expires', '2020-01-01']), { exit: 65 });
  const cidrs = ['--cidrs', '127.0.0.1,127.0.0.1/32'];
  const { key } = await admin(service, [...create, '--expires', '2027-01-01', ...cidrs]);
  t.same((await service.call('GET', '/me', { key: String(key) })).json().key.cidrs, ['127.0.0.1/32']);
  const versions = ['--xcode', '16.1,16.2,16.1', '--runtimes', 'iOS 18,iOS 18', '--tools', 'tuist,tuist'];
  t.match(await admin(service, ['tier', 'add', '--tier', 'm4', '--name', 'M4', ...versions]), {
    xcode_versions: ['16.1', '16.2'],
    default_xcode: '16.2',
    runtimes: ['iOS 18'],
    tools: ['tuist'],
  });
});

t.test('common options are accepted before, between and after the command words', async (t) => {
  const service = await startHarness(t);
  const common = ['--json', '--data', service.data];
  for (const argv of [
    [...common, 'org', 'list'],
    ['org', ...common, 'list'],
    ['org', 'list', ...common],
    ['--json', 'org', '--data', service.data, 'list'],
  ]) {
    const { code, out, err } = await printedBy(argv);
    t.same([code, err], [0, '']);
    t.match(JSON.parse(out), { organizations: [{}, {}] }, argv.join(' '));
  }
});

t.test('an operator creates, renames, lists and removes workspaces, and assigns them to developers', async (t) => {
  const service = await startHarness(t);
  const org = ['--org', service.org.orgId];
  const made = await admin(service, ['workspace', 'create', ...org, '--name', 'iOS']);
  t.match(made, { workspace_id: /^ws_/, name: 'iOS', created_at: String });
  const id = String(made.workspace_id);
  t.same(await admin(service, ['workspace', 'create', ...org, '--name', 'IOS']), { exit: 65 });
  t.match(await admin(service, ['workspace', 'rename', id, '--name', 'Mobile']), { name: 'Mobile' });
  t.match(await admin(service, ['workspace', 'list', ...org]), {
    workspaces: [{ name: 'default' }, { workspace_id: id, name: 'Mobile' }],
  });
  const person = ['user', 'create', '--email', 'dev@example.com', '--password-stdin', ...org];
  t.match(await admin(service, [...person, '--workspaces', id], 'correct horse'), { user_id: /^user_/ });
  const stranger = ['user', 'create', '--email', 'x@example.com', '--password-stdin', ...org];
  const foreign = ['--workspaces', service.other.workspaceId];
  t.same(await admin(service, [...stranger, ...foreign], 'correct horse'), { exit: 65 });
  const owner = [...stranger, '--role', 'owner'];
  t.same(
    await admin(service, [...owner, '--workspaces', id], 'correct horse'),
    { exit: 65 },
    'an owner sees all workspaces',
  );
  const alone = ['user', 'create', '--email', 'x@example.com', '--password-stdin', '--workspaces', id];
  t.same(await admin(service, alone, 'correct horse'), { exit: 65 }, '--workspaces needs an account');
  t.match(await admin(service, owner, 'correct horse'), { user_id: String });
  const limited = ['user', 'set-workspaces', 'x@example.com', ...org, '--workspaces', id];
  t.same(await admin(service, limited), { exit: 65 });
  const sees = () => service.store.all('SELECT workspace_id FROM member_workspaces');
  t.same(await sees(), [{ workspace_id: id }]);
  const set = (workspaces: string) =>
    admin(service, ['user', 'set-workspaces', 'dev@example.com', ...org, '--workspaces', workspaces]);
  t.match(await set(`${id},${service.org.workspaceId}`), { workspace_ids: [id, service.org.workspaceId] });
  t.equal((await sees()).length, 2);
  t.same(await set('ws_none'), { exit: 65 });
  t.same(await admin(service, ['user', 'set-workspaces', 'no@example.com', ...org, '--workspaces', id]), {
    exit: 65,
  });

  const key = ['key', 'create', ...org, '--name', 'ci', '--levels', 'read', '--workspace', id];
  const { key_id } = await admin(service, key);
  t.match(await admin(service, ['key', 'list', ...org]), { keys: [{ key_id, workspace_id: id }] });
  t.same(await admin(service, ['workspace', 'remove', id]), { exit: 65 }, 'a key is in use');
  await admin(service, ['key', 'revoke', String(key_id)]);
  t.match(await admin(service, ['workspace', 'remove', id]), { workspace_id: id, removed: true });
  t.same(await admin(service, ['workspace', 'remove', id]), { exit: 65 });
  t.same(await admin(service, ['workspace', 'remove', service.org.workspaceId]), { exit: 65 });
  t.same(await sees(), [{ workspace_id: service.org.workspaceId }]);
});

t.test('an operator sees the progress of hosts that fetch an image', async (t) => {
  const service = await startHarness(t, { limits: { image_pulls_at_once: 1 } });
  await admin(service, ['tier', 'add', '--tier', 'm4', '--price-won', '1', '--image', 'macos:26']);
  const [one, two] = [await addHost(service, 1), await addHost(service, 1)];
  const digest = digestOf('a');
  const lines: string[] = [];
  let complaint = '';
  /** Runs the command with the hosts answering each line that it prints. */
  const follow = async (answers: (() => Promise<void>)[]) => {
    lines.length = 0;
    const seen = async (text: string) => {
      lines.push(text);
      await service.clock.advance(1);
      await answers.shift()?.();
    };
    let last: Promise<void> = Promise.resolve();
    const write = (text: string) => {
      last = last.then(() => seen(text));
    };
    const { code, err } = await printedBy(['image', 'pull', '--tier', 'm4', '--wait', '--data', service.data], {
      write,
    });
    complaint = err;
    await last;
    return code;
  };
  const running = async () => {
    service.wake.wakeAll();
    await service.workers.idle();
    const row = await service.store.get<{ host_id: string }>(
      `SELECT host_id FROM image_pulls WHERE status = 'running'`,
    );
    return row?.host_id === one.hostId ? one : two;
  };
  const answers = [
    async () => (await running()).images({ digest, state: 'pulling', percent: 40 }),
    async () => (await running()).images({ digest }),
    async () => (await running()).images({ digest, state: 'failed', error: 'no space left' }),
  ];
  t.equal(await follow(answers), 65);
  t.match(lines[0], /nothing known {2,}pull (running|waits for its turn)/);
  t.match(lines.join(''), /pulling 40 % {2,}pull running/);
  // The host has reported the end of its change; whether the pull has ended too depends on when the command asks.
  t.match(lines.join(''), /ready {2,}pull (done|running)/);
  t.match(complaint, /not fetched everywhere\. mac \(host_\w+\): no space left/);
  const retry = [async () => (await running()).images({ digest })];
  t.equal(await follow(retry), 0);
  t.match(lines.at(-1), /ready {2,}pull done\n.*ready {2,}pull done\n$/);
  const entries = await service.store.all(`SELECT result FROM audit_log WHERE action = 'image.pull' ORDER BY id`);
  t.same(entries, [{ result: 'ok' }, { result: 'ok' }], 'one for each command');
});
