// Operators in the console: which commands they can run, when they must enter their password again, and what is logged.
import t from 'tap';
import { createProgram } from '../../control-plane/admin/cli.js';
import { wordsOf } from '../../control-plane/admin/command.js';
import { type Harness, PASSWORD, startHarness } from '../harness/harness.js';
import { addHost, putM4 } from '../harness/renting.js';

const MINUTE = 60_000;

const signIn = (h: Harness) => h.signIn('developer', { operator: true, email: 'ops@example.com' });

function asOperator(h: Harness, cookie: string) {
  const send = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await h.inject({ method, url, headers: { cookie }, ...(payload ? { payload } : {}) });
    const body = answer.body === '' ? {} : answer.json();
    return { status: answer.statusCode, code: body.error?.code ?? null, body };
  };
  return {
    run: (...argv: string[]) => send('POST', '/api/operator/v1/commands', { argv }),
    confirm: (password: string) => send('POST', '/api/runner/v1/session/confirm', { password }),
  };
}

t.test('an operator without an organization runs commands, which are logged with their name', async (t) => {
  const h = await startHarness(t);
  await h.users.create({ email: 'ops@example.com', password: PASSWORD, operator: true });
  const session = await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ops@example.com', password: PASSWORD },
  });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  t.same(session.json().organizations, []);
  const { run } = asOperator(h, cookie);
  const made = await run('org', 'create', '--name', 'Mill');
  t.match(made, { status: 200, body: { result: { json: { org_id: /^org_/ } } } });
  t.match(await run('org', 'list'), { body: { result: { json: { organizations: [{}, {}, {}] } } } });
  await putM4(h);
  const host = await addHost(h, 1);
  await run('host', 'drain', host.hostId, '--reason', 'new switch');
  t.match(await h.hosts.get(host.hostId), { status: 'draining', statusBy: 'ops@example.com' });
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
  const by = { actorKind: 'operator', actorId: session.json().user.id, actorName: 'ops@example.com' };
  t.match(
    entries.filter(({ actorKind }) => actorKind === 'operator'),
    [
      { ...by, action: 'organization.create', target: made.body.result.json.org_id, ip: '127.0.0.1' },
      { ...by, action: 'host.drain', target: host.hostId },
    ],
  );
});

t.test('a session runs the commands of the console only', async (t) => {
  const h = await startHarness(t);
  const { run } = asOperator(h, await signIn(h));
  const refused = [
    ['key', 'create', '--org', 'apple-press', '--name', 'x', '--levels', 'read'],
    ['user', 'create', '--email', 'eve@example.com', '--password-stdin', '--operator'],
    ['user', 'set-password', 'owner@example.com', '--password-stdin'],
    ['backup', '/tmp/stolen'],
    ['secrets', 'rotate-key'],
    ['host', 'move-to', 'https://evil.example', '--all'],
    // Read through GET /v1/audit, in pages.
    ['audit'],
  ];
  for (const argv of refused) t.match(await run(...argv), { status: 403, code: 'forbidden' }, argv.join(' '));
  t.equal((await run('org', 'paint')).code, 'invalid_request');
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
  const attempts = entries.filter(({ result }) => result === 'forbidden');
  t.equal(attempts.length, refused.length - 1, 'attempts are logged, but for a read');
  const known = new Set<string>();
  const visit = (command: ReturnType<typeof createProgram>) => {
    if (command.commands.length === 0) known.add(wordsOf(command));
    for (const one of command.commands) visit(one);
  };
  const nothing = { write: () => {}, complain: () => {}, readLine: async () => '' };
  visit(createProgram([], nothing, () => Promise.reject(new Error('not run'))));
  for (const [words = ''] of refused.map(([a, b]) => [[a, b].join(' '), a])) {
    t.ok(
      [...known].some((one) => words.startsWith(one)),
      `${words} is a command`,
    );
  }
});

t.test('a dangerous command needs the password of the last ten minutes', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  const host = await addHost(h, 1);
  const { run, confirm } = asOperator(h, await signIn(h));
  t.equal((await run('org', 'suspend', 'other-mill')).status, 200, 'just after signing in');
  await h.clock.advance(10 * MINUTE);
  const dangerous = [
    ['org', 'suspend', 'other-mill'],
    ['host', 'remove', host.hostId],
    ['host', 'enroll'],
    ['tier', 'edit', '--tier', 'm4', '--image', 'evil'],
    ['order', 'refund', 'RT-1'],
    ['rental', 'end', 'rt_1'],
  ];
  for (const argv of dangerous) {
    t.match(await run(...argv), { status: 403, code: 'confirmation_required' }, argv.join(' '));
  }
  t.equal((await run('order', 'refund', 'RT-1', '--dry-run')).code, 'order_not_found', 'it changes nothing');
  t.equal((await run('host', 'cordon', host.hostId)).status, 200, 'it is not dangerous');
  t.match(await confirm('wrong'), { status: 401, code: 'invalid_credentials' });
  t.equal((await run('host', 'remove', host.hostId)).code, 'confirmation_required');
  t.match(await confirm(PASSWORD), {
    status: 200,
    body: { confirmed_until: new Date(h.clock.now() + 10 * MINUTE).toISOString() },
  });
  t.equal((await run('host', 'remove', host.hostId)).status, 200);
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
  const confirmations = entries.filter(({ action }) => action === 'session.confirm');
  t.same(confirmations.map(({ result }) => result).sort(), ['invalid_credentials', 'ok']);
  for (const entry of confirmations) t.equal(entry.actorName, 'ops@example.com');
});

t.test('the session of an operator ends after an hour without use, and with the flag', async (t) => {
  const h = await startHarness(t);
  const operatorCookie = await signIn(h);
  const operator = asOperator(h, operatorCookie);
  const member = await h.signIn('owner');
  const memberStatus = async () =>
    (await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie: member } })).statusCode;
  for (let i = 0; i < 3; i++) {
    await h.clock.advance(59 * MINUTE);
    t.equal((await operator.run('org', 'list')).status, 200);
    await h.parts.access.sessions.close();
  }
  // What an open page reads by itself after the person has left.
  const unattended = { cookie: operatorCookie, 'service-unattended': '1' };
  const reads = async () =>
    (await h.inject({ method: 'GET', url: '/api/operator/v1/hosts', headers: unattended })).statusCode;
  await h.clock.advance(40 * MINUTE);
  t.equal(await reads(), 200);
  await h.parts.access.sessions.close();
  await h.clock.advance(21 * MINUTE);
  t.equal(await reads(), 401);
  t.equal((await operator.run('org', 'list')).code, 'session_required');
  t.equal(await memberStatus(), 200);
  const again = asOperator(h, await h.signIn('developer', { operator: true, email: 'ann@example.com' }));
  t.equal((await again.run('org', 'list')).status, 200);
  await h.store.run(`UPDATE users SET operator = 0 WHERE email = 'ann@example.com'`);
  t.equal((await again.run('org', 'list')).code, 'not_found');
});
