// Operators in the console: which changes they can make, when they must enter their password again, and what is logged.
import t from 'tap';
import { operations } from '../../control-plane/compose/operator-api.js';
import { operationPath } from '../../control-plane/platform/http/operation.js';
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
    read: (path: string) => send('GET', `/api/operator/v1/${path}`),
    run: (name: string, input: object) => send('POST', `/api/operator${operationPath(name)}`, input),
    confirm: (password: string) => send('POST', '/api/runner/v1/session/confirm', { password }),
  };
}

t.test('an operator without an organization makes changes, which are logged with their name', async (t) => {
  const h = await startHarness(t);
  await h.users.create({ email: 'ops@example.com', password: PASSWORD, operator: true });
  const session = await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ops@example.com', password: PASSWORD },
  });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  t.same(session.json().organizations, []);
  const { run, read } = asOperator(h, cookie);
  const made = await run('org.create', { name: 'Mill' });
  t.match(made, { status: 200, body: { org_id: /^org_/ } });
  t.match(await read('organizations'), { body: { data: [{}, {}, {}] } });
  await putM4(h);
  const host = await addHost(h, 1);
  await run('host.drain', { hosts: [host.hostId], reason: 'new switch' });
  t.match(await h.hosts.get(host.hostId), { status: 'draining', statusBy: 'ops@example.com' });
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
  const by = { actorKind: 'operator', actorId: session.json().user.id, actorName: 'ops@example.com' };
  t.match(
    entries.filter(({ actorKind }) => actorKind === 'operator'),
    [
      { ...by, action: 'organization.create', target: made.body.org_id, ip: '127.0.0.1' },
      { ...by, action: 'host.drain', target: host.hostId },
    ],
  );
});

t.test('a session makes the changes of the console only', async (t) => {
  const h = await startHarness(t);
  const { run } = asOperator(h, await signIn(h));
  // What gives out keys or passwords, admits people without a trace, or sends hosts to another service.
  const refused = [
    ['key.create', { org: 'apple-press', name: 'x', levels: ['read'] }],
    ['key.revoke', { key_id: 'key_1' }],
    ['user.create', { email: 'eve@example.com', password: 'correct horse', operator: true }],
    ['user.set-password', { email: 'owner@example.com', password: 'correct horse' }],
    ['user.reset-password', { email: 'owner@example.com' }],
    ['user.remove-second-factors', { email: 'owner@example.com' }],
    ['user.set-workspaces', { email: 'owner@example.com', org: 'apple-press', workspaces: [] }],
    ['member.set', { org: 'apple-press', email: 'owner@example.com', role: 'owner' }],
    ['member.remove', { org: 'apple-press', email: 'owner@example.com' }],
    ['workspace.create', { org: 'apple-press', name: 'x' }],
    ['workspace.rename', { workspace_id: 'ws_1', name: 'x' }],
    ['workspace.remove', { workspace_id: 'ws_1' }],
    ['credit.adjust', { org: 'apple-press', micro_usd: 1, reason: 'x' }],
    ['secrets.rotate-key', {}],
    ['host.move-to', { all: true, url: 'https://evil.example' }],
  ] as const;
  t.same(
    refused.map(([name]) => name).sort(),
    operations.flatMap(({ name, access }) => (access === 'token' ? [name] : [])).sort(),
    'these are all of them',
  );
  for (const [name, input] of refused) t.match(await run(name, input), { status: 403, code: 'forbidden' }, name);
  for (const { name } of operations.filter(({ access }) => access === 'machine')) {
    t.match(await run(name, { file: '/tmp/stolen' }), { status: 404, code: 'not_found' }, name);
  }
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
  const attempts = entries.filter(({ result }) => result === 'forbidden');
  t.equal(attempts.length, refused.length, 'attempts are logged');
});

t.test('a dangerous change needs the password of the last 15 minutes', async (t) => {
  const h = await startHarness(t, { limits: { session_confirm_ms: 15 * MINUTE } });
  await putM4(h);
  const host = await addHost(h, 1);
  const { run, confirm } = asOperator(h, await signIn(h));
  t.equal((await run('org.suspend', { org: 'other-mill' })).status, 200, 'just after signing in');
  await h.clock.advance(15 * MINUTE);
  const dangerous = [
    ['org.suspend', { org: 'other-mill' }],
    ['org.block-payments', { org: 'other-mill' }],
    ['host.remove', { hosts: [host.hostId] }],
    ['host.enroll', {}],
    ['host.approve', { host: host.hostId }],
    ['tier.add', { tier: 'm5' }],
    ['tier.edit', { tier: 'm4', image: 'evil' }],
    ['member.invite', { org: 'other-mill', email: 'eve@example.com' }],
    ['order.refund', { order_no: 'RT-1' }],
    ['rental.end', { rental_id: 'rt_1' }],
    ['rental.grant', { org: 'other-mill', tier: 'm4' }],
    ['payment.settle', { id: 'RT-1', note: 'by bank transfer' }],
  ] as const;
  t.same(
    dangerous.map(([name]) => name).sort(),
    operations.flatMap(({ name, confirm, access }) => (confirm && access === 'console' ? [name] : [])).sort(),
    'these are all of them',
  );
  for (const [name, input] of dangerous) {
    t.match(await run(name, input), { status: 403, code: 'confirmation_required' }, name);
  }
  t.equal((await run('order.plan-refund', { order_no: 'RT-1' })).code, 'order_not_found', 'it changes nothing');
  t.equal((await run('host.cordon', { hosts: [host.hostId] })).status, 200, 'it is not dangerous');
  t.match(await confirm('wrong'), { status: 401, code: 'invalid_credentials' });
  t.equal((await run('host.remove', { hosts: [host.hostId] })).code, 'confirmation_required');
  t.match(await confirm(PASSWORD), {
    status: 200,
    body: { confirmed_until: new Date(h.clock.now() + 15 * MINUTE).toISOString() },
  });
  t.equal((await run('host.remove', { hosts: [host.hostId] })).status, 200);
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
    t.equal((await operator.read('organizations')).status, 200);
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
  t.equal((await operator.read('organizations')).code, 'session_required');
  t.equal(await memberStatus(), 200);
  const again = asOperator(h, await h.signIn('developer', { operator: true, email: 'ann@example.com' }));
  t.equal((await again.read('organizations')).status, 200);
  await h.store.run(`UPDATE users SET operator = 0 WHERE email = 'ann@example.com'`);
  t.equal((await again.read('organizations')).code, 'not_found');
});
