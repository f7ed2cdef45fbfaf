// Operator commands in the audit log, and the command that prints it.
// Runs in: soak
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { operations } from '../../control-plane/compose/operator-api.js';
import { printedBy } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { refuseWrites } from '../harness/refuse-writes.js';
import { putM4 } from '../harness/renting.js';
import { until } from '../harness/until.js';
import { commands, wordsOf } from './command-words.js';

type Where = { data: string } | { url: string; token: string };

/** Runs a command on the data folder, or through the operator API. */
async function admin(where: Where, argv: readonly string[], stdin = '') {
  if ('token' in where) process.env.CIDERMILL_OPERATOR_TOKEN = where.token;
  const target = 'data' in where ? ['--data', where.data] : ['--url', where.url];
  try {
    const { code, out } = await printedBy([...argv, ...target], { readLine: async () => stdin });
    return { exit: code, out };
  } finally {
    delete process.env.CIDERMILL_OPERATOR_TOKEN;
  }
}

/** Returns entries in the order of writing: commands use the system clock, the service the clock of the test. */
const entriesOf = async (h: Harness) =>
  (await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100_000 })).sort((a, b) => a.id - b.id);

/** Announces the next notice, for which `notices test` waits: the worker of notices does not run in tests. */
async function announceNotice({ store, workers }: Harness): Promise<void> {
  const isWritten = async () => (await store.get('SELECT 1 FROM operator_notices WHERE announced = 0')) !== undefined;
  await until(isWritten, 'the notice is written');
  await workers.named('operator-notices').run(new Set());
}

/** The action of the operation that a command calls; null: it only reads. */
const actionOf = (words: string): string | null =>
  operations.find(({ name }) => name === (sameAs[words] ?? words).replaceAll(' ', '.'))?.audit?.name ?? null;
/** Commands that call an operation with another name. */
const sameAs: Readonly<Record<string, string>> = { 'host set-tier': 'host set' };

t.test('every command that changes something writes one entry, locally and over HTTP; others write none', async (t) => {
  const token = 'an-operator-token-of-the-tests';
  const h = await startHarness(t, { operatorToken: token });
  const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
  const values: Readonly<Record<string, string>> = {
    '--levels': 'read',
    '--role': 'developer',
    '--micro-usd': '1',
  };
  for (const command of commands()) {
    const words = wordsOf(command);
    // They use no service (`test/platform/postgres/move.test.ts`, `test/admin/verify.test.ts`).
    if (words === 'migrate' || words === 'verify') continue;
    const action = actionOf(words);
    const argv = [
      ...words.split(' '),
      ...command.registeredArguments.map(() => 'none'),
      ...command.options
        .filter(({ mandatory, defaultValue }) => mandatory && defaultValue === undefined)
        .flatMap(({ long, required }) => (required ? [long ?? '', values[long ?? ''] ?? 'none'] : [long ?? ''])),
    ].map((word) => (words === 'backup' && word === 'none' ? join(h.data, 'none', 'backup') : word));
    for (const where of [{ data: h.data }, { url, token }]) {
      const before = (await entriesOf(h)).length;
      const [{ exit }] = await Promise.all([
        admin(where, argv, 'x'),
        ...(words === 'notices test' ? [announceNotice(h)] : []),
      ]);
      const added = (await entriesOf(h)).slice(before);
      const about = `${words} ${'url' in where ? 'over HTTP' : 'locally'}`;
      // It writes a file, so it is not sent to another machine.
      if (words === 'backup' && 'url' in where) {
        t.same([exit, added.length], [65, 0], about);
        continue;
      }
      t.not(exit, 64, `${about} is a valid command`);
      t.equal(added.length, action === null ? 0 : 1, about);
      if (action === null) continue;
      t.equal(added[0]?.action, action, about);
      t.equal(added[0]?.result === 'ok', exit === 0, about);
      t.match(
        added[0],
        'url' in where
          ? { actorKind: 'operator', actorName: 'operator token', ip: '127.0.0.1' }
          : { actorKind: 'operator', actorName: userInfo().username, ip: null },
      );
    }
  }
});

t.test('entries of commands name the created object and the organization', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  const run = async (...argv: string[]) => {
    const { exit, out } = await admin({ data: h.data }, [...argv, '--json'], 'a long password');
    t.equal(exit, 0, argv.join(' '));
    return JSON.parse(out);
  };
  const org = await run('org', 'create', '--name', 'Mill');
  const key = await run('key', 'create', '--org', org.org_id, '--name', 'ci', '--levels', 'read');
  await run('key', 'revoke', key.key_id);
  const user = await run('user', 'create', '--email', 'ann@example.com', '--password-stdin', '--org', 'mill');
  await run('user', 'set-password', 'ann@example.com', '--password-stdin');
  await run('org', 'suspend', 'mill');
  await run('host', 'enroll', '--tier', 'm4');
  await run('secrets', 'rotate-key');
  const account = { orgId: org.org_id, result: 'ok' };
  t.match(await entriesOf(h), [
    { ...account, action: 'organization.create', target: org.org_id },
    { ...account, action: 'api_key.create', target: key.key_id },
    { ...account, action: 'api_key.revoke', target: key.key_id },
    { ...account, action: 'user.create', target: user.user_id },
    { action: 'user.set_password', target: user.user_id, orgId: null },
    { ...account, action: 'organization.suspend', target: org.org_id },
    { action: 'host.enroll', target: /^enr_/, orgId: null },
    { action: 'secrets.rotate_key', result: 'ok' },
  ]);
});

t.test('a command and its entry are committed together or not at all', async (t) => {
  const h = await startHarness(t);
  await refuseWrites(h.store, 'audit_log');
  const { exit } = await admin({ data: h.data }, ['org', 'suspend', h.org.orgId]);
  t.equal(exit, 70);
  t.equal((await h.organizations.find(h.org.orgId)).status, 'active');
});

t.test('a password typed in the wrong field is not logged', async (t) => {
  const h = await startHarness(t);
  for (const argv of [
    ['user', 'set-password', 'hunter2hunter2', '--password-stdin'],
    ['key', 'revoke', h.keys.read],
    ['org', 'suspend', 'hunter2 hunter2'],
  ]) {
    t.equal((await admin({ data: h.data }, argv, 'hunter2hunter2')).exit, 65);
  }
  const text = JSON.stringify(await h.store.all('SELECT * FROM audit_log'));
  t.notMatch(text, /hunter2/);
  t.notOk(text.includes(h.keys.read));
  const exported = await admin({ data: h.data }, ['audit', '--json']);
  t.equal(exported.out.split('\n').length, 4);
  t.notMatch(exported.out, /hunter2/);
  t.notOk(exported.out.includes(h.keys.read));
});

t.test('a wrong operator token is counted; a dry run is not logged', async (t) => {
  const h = await startHarness(t, { operatorToken: 'an-operator-token-of-the-tests' });
  const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
  for (let i = 0; i < 3; i++) await admin({ url, token: 'another-token-of-the-tests' }, ['org', 'list']);
  await admin({ data: h.data }, ['order', 'refund', 'RT-1', '--dry-run']);
  await h.auditLog.close();
  const failed = { actorKind: 'anonymous', ip: '127.0.0.1', action: 'operator.authenticate' };
  const found = await entriesOf(h);
  t.match(found, [
    { ...failed, result: 'operator_token_required', count: 1 },
    { ...failed, result: 'operator_token_required', count: 2 },
  ]);
  t.equal(found.length, 2);
});

t.test('admin audit prints entries since a time, of one organization, in pages', async (t) => {
  process.env.CIDERMILL_AUDIT_PAGE_MAX = '2';
  t.teardown(() => delete process.env.CIDERMILL_AUDIT_PAGE_MAX);
  const token = 'an-operator-token-of-the-tests';
  const h = await startHarness(t, { operatorToken: token, limits: { audit_page_max: 3 } });
  const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
  const put = (name: string, key = h.keys.all) => h.call('PUT', `/secrets/${name}`, { key, body: { value: 'x' } });
  for (let i = 0; i < 4; i++) await put(`OLD_${i}`);
  await h.clock.advance(3 * 24 * 3_600_000);
  for (let i = 0; i < 4; i++) await put(`NEW_${i}`);
  await put('OTHERS', h.other.key);

  for (const where of [{ data: h.data }, { url, token }]) {
    const read = async (...argv: string[]) => {
      const { exit, out } = await admin(where, ['audit', ...argv, '--json']);
      t.equal(exit, 0);
      return out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    };
    const all = await read();
    t.same(
      all.map(({ target }) => target),
      ['OLD_0', 'OLD_1', 'OLD_2', 'OLD_3', 'NEW_0', 'NEW_1', 'NEW_2', 'NEW_3', 'OTHERS'],
    );
    t.same(all[0], {
      at: '2026-03-01T09:00:00.000Z',
      actor: { kind: 'api_key', id: all[0].actor.id, name: 'read+build+manage' },
      ip: '127.0.0.1',
      action: 'secret.set',
      target: 'OLD_0',
      target_name: null,
      result: 'ok',
      count: 1,
      org_id: h.org.orgId,
    });
    t.equal((await read('--since', '2026-03-02')).length, 5);
    t.match(await read('--org', h.other.orgId), [{ target: 'OTHERS' }]);
    t.same(await read('--since', '2027-01-01'), []);
    t.equal((await admin(where, ['audit', '--since', 'yesterday'])).exit, 64);
    t.equal((await admin(where, ['audit', '--org', 'none'])).exit, 65);
    const { out } = await admin(where, ['audit', '--since', '2026-03-02']);
    t.equal(out.split('\n').length, 6);
    t.match(
      out,
      /^2026-03-04T09:00:00.000Z {2}org_\w+ {2}api_key read\+build\+manage {2}127.0.0.1 {2}secret.set {2}NEW_0 {2}ok$/m,
    );
  }
  // A service with a test clock stores its time in the database.
  t.match((await admin({ url, token }, ['audit', '--since', '1d', '--json'])).out, /NEW_0/);
  t.notMatch((await admin({ url, token }, ['audit', '--since', '1d', '--json'])).out, /OLD_3/);
});

t.test('an export contains the entries from before it started, not those added between its pages', async (t) => {
  const h = await startHarness(t, {
    operatorToken: 'an-operator-token-of-the-tests',
    limits: { audit_page_max: 2 },
  });
  const page = async (cursor: string | null) => {
    const answer = await h.server.inject({
      method: 'GET',
      url: `/api/operator/v1/audit?order=oldest&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      headers: { authorization: 'Bearer an-operator-token-of-the-tests' },
    });
    return answer.json() as { data: { target: string }[]; next_cursor: string | null };
  };
  const put = (name: string) => h.call('PUT', `/secrets/${name}`, { body: { value: 'x' } });
  for (const name of ['A', 'B', 'C', 'D', 'E']) {
    await put(name);
    await h.clock.advance(1_000);
  }
  const found: string[] = [];
  let next: string | null = null;
  do {
    const read = await page(next);
    found.push(...read.data.map(({ target }) => target));
    next = read.next_cursor;
    await put('LATER');
    // Failures are written with a delay, so this one is older than entries already read.
    await h.store.run(
      `INSERT INTO audit_log (at, account_id, actor_kind, action, target, result, count)
       SELECT at, account_id, actor_kind, action, 'LATE', 'not_found', 1 FROM audit_log ORDER BY at, id LIMIT 1`,
    );
  } while (next !== null);
  t.same(found, ['A', 'B', 'C', 'D', 'E']);
  t.equal((await entriesOf(h)).length, 5 + 2 * 3, 'the next export contains the other entries');
});

t.test('tables that commands print cannot control the terminal', async (t) => {
  const h = await startHarness(t);
  const name = 'a\u202eb\u2028c\u00add';
  await admin({ data: h.data }, ['key', 'create', '--org', h.org.orgId, '--name', name, '--levels', 'read']);
  await admin({ data: h.data }, ['org', 'create', '--name', 'Mill \u001b]0;owned\u0007\u001b[31mred']);
  const keys = await admin({ data: h.data }, ['key', 'list', '--org', h.org.orgId]);
  t.match(keys.out, /ab cd\n/);
  const orgs = await admin({ data: h.data }, ['org', 'list']);
  t.match(orgs.out, /Mill red\n/);
  for (const { out } of [keys, orgs]) t.notMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028]/u);
});

t.test('a closed pipe ends the command', async (t) => {
  const h = await startHarness(t);
  for (let i = 0; i < 5; i++) await h.call('PUT', `/secrets/NAME_${i}`, { body: { value: 'x' } });
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['-c', 'set -o pipefail; node dist/client/bin.cjs admin audit --json --data "$0" | head -n 1', h.data],
    { env: { ...process.env, CIDERMILL_AUDIT_PAGE_MAX: '1' } },
  );
  t.equal(JSON.parse(stdout).target, 'NAME_0');
  t.equal(stderr, '');
});

t.test('names cannot control the terminal', async (t) => {
  const h = await startHarness(t);
  const name = 'a\u001b]0;owned\u0007\u202eb\u009b31m\u2028c';
  await h.auditLog.write(
    {
      accountId: h.org.id,
      actorKind: 'api_key',
      actorId: 'key_1',
      actorName: name,
      ip: null,
      action: 'secret.set',
      target: null,
    },
    'ok',
  );
  const plain = (await admin({ data: h.data }, ['audit'])).out;
  const json = (await admin({ data: h.data }, ['audit', '--json'])).out;
  for (const text of [plain, json]) t.notMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028]/u);
  t.equal(JSON.parse(json).actor.name, name, 'JSON keeps the value');
});
