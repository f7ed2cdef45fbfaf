// Notices to operators, from a host that is gone to the mail and the webhook.
// Runs in: soak
import t, { type Test } from 'tap';
import { readConfig } from '../../control-plane/config.js';
import type { ConfigError } from '../../control-plane/config-error.js';
import { sendDueNotices } from '../../control-plane/operators/app/notice-webhook.js';
import { createOperatorNotices } from '../../control-plane/operators/app/operator-notices.js';
import { openSettlement } from '../../control-plane/payments/store/manual-settlements.js';
import type { Limits } from '../../control-plane/platform/domain/limits.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { startSmtpServer } from '../access/smtp-server.js';
import { commandsOf } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { signedBy, startReceiver } from '../harness/receiver.js';
import { addHost } from '../harness/renting.js';
import { everyNth } from '../harness/soak.js';
import { Died, mortal } from '../payments/mortal-store.js';

const MINUTE = 60_000;
const secret = 'secret-of-the-operator';

/** A service that tells a receiver of problems, and addresses. */
async function watched(t: Test, mail: readonly string[] = [], limits: Partial<Limits> = {}) {
  const smtp = await startSmtpServer(t);
  const receiver = await startReceiver(t);
  const operatorNotices = { mail, webhook: { url: receiver.url, secret } };
  const h = await startHarness(t, { receivers: true, smtpUrl: smtp.url, limits, operatorNotices });
  return { h, receiver, smtp };
}

/** Minute by minute, as real time passes. */
async function pass(h: Harness, minutes: number) {
  for (let i = 0; i < minutes; i++) {
    await h.pass(MINUTE);
  }
}

const bodies = (receiver: { got: { text: string }[] }) =>
  receiver.got.map(({ text }) => JSON.parse(text) as Record<string, unknown>);

t.test('a rack of hosts that goes at once is one mail and one request, and so is its return', async (t) => {
  const { h, receiver, smtp } = await watched(t, ['Rack@example.com', 'oscar@example.com'], {
    capacity_low_percent: 0,
  });
  await h.signIn('owner', { email: 'oscar@example.com', operator: true });
  await h.signIn('owner', { org: h.other, email: 'nobody@example.com' });
  const hosts = [];
  for (let i = 0; i < 12; i++) hosts.push(await addHost(h, 1));
  await pass(h, 10);
  t.equal(smtp.mails.length, 0);
  // Their heartbeats end within a minute.
  for (const [i, host] of hosts.slice(1).entries()) {
    await host.disconnect();
    if (i === 5) await h.clock.advance(30_000);
  }
  await pass(h, 2);
  t.equal(smtp.mails.length, 0);
  await pass(h, 9);
  t.same(smtp.mails.flatMap(({ to }) => to).sort(), ['oscar@example.com', 'rack@example.com']);
  t.match(smtp.mails[0]?.data, /^Subject: Cidermill: 11 hosts are offline$/m);
  t.equal(receiver.got.length, 1);
  const [post] = receiver.got;
  t.match(bodies(receiver)[0], { event_type: 'host.offline', resolved: false, tiers: [] });
  t.match(bodies(receiver)[0]?.hosts, { length: 11 });
  t.equal(post?.headers['x-svc-event'], 'host.offline');
  t.same(post && signedBy(secret, post), ['x-svc-signature']);
  const metric = async () =>
    /^cidermill_operator_problems\{kind="host.offline"\} (\d+)$/m.exec((await h.inject({ url: '/metrics' })).body)?.[1];
  t.equal(await metric(), '11');

  for (const host of hosts.slice(1)) await host.connect();
  await pass(h, 4);
  for (const host of hosts.slice(1)) await host.disconnect();
  await pass(h, 1);
  for (const host of hosts.slice(1)) await host.connect();
  await pass(h, 4);
  t.equal(receiver.got.length, 1, 'they have not stayed');
  await pass(h, 9);
  t.equal(receiver.got.length, 2);
  t.match(bodies(receiver)[1], { event_type: 'host.offline', resolved: true });
  t.equal(smtp.mails.length, 4);
  t.equal(await metric(), '0');
});

t.test('health, disk space and capacity are announced, unknown values are not', async (t) => {
  const { h, receiver } = await watched(t);
  const host = await addHost(h, 1);
  const { inventory } = await h.hosts.get(host.hostId);
  if (!inventory) throw new Error('no inventory');
  const report = (status: 'ok' | 'failed', disk_reserve_bytes: number) =>
    h.hosts.report(host.hostId, {
      inventory: { ...inventory, disk_free_bytes: 2 ** 30, disk_reserve_bytes },
      draining: false,
      health: { checked_at: 0, findings: [{ check: 'sleep', status, found: 'x', fix: null }] },
    });
  await report('failed', 2 ** 31);
  await h.hosts.change(host.hostId, 'cordon');
  await pass(h, 5);
  const said = () => bodies(receiver).map(({ event_type, resolved }) => `${event_type} ${resolved}`);
  t.same(said().sort(), ['capacity.low false', 'host.disk_low false', 'host.unhealthy false']);
  const [capacity] = bodies(receiver).filter(({ event_type }) => event_type === 'capacity.low');
  t.match(capacity, { hosts: [], tiers: [{ tier: 'm4', message: /^0 of 1 slots/ }] });
  await host.disconnect();
  await pass(h, 12);
  t.same(said().slice(3), ['host.offline false'], 'its health is unknown now, which is no recovery');
  await host.connect();
  await report('ok', 0);
  await h.hosts.change(host.hostId, 'undrain');
  await pass(h, 9);
  t.same(said().slice(4).sort(), [
    'capacity.low true',
    'host.disk_low true',
    'host.offline true',
    'host.unhealthy true',
  ]);
});

t.test('two agents with one credential are a problem until an operator has dealt with it', async (t) => {
  const { h, receiver } = await watched(t, [], { capacity_low_percent: 0, notice_offline_ms: 90 * MINUTE });
  const run = commandsOf(h);
  const hosts = [await addHost(h, 1), await addHost(h, 1)] as const;
  for (const { hostId } of hosts) await h.hosts.recordConflict(hostId, 'two_agents', ['192.0.2.1', '192.0.2.7']);
  await hosts[0].disconnect();
  await h.hosts.change(hosts[1].hostId, 'drain');
  await pass(h, 20);
  const message = /^two agents used its credential \(.*\), from 192\.0\.2\.1, 192\.0\.2\.7$/;
  t.match(bodies(receiver), [
    {
      event_type: 'host.credential_conflict',
      resolved: false,
      hosts: [{ message }, { message }],
    },
  ]);
  t.equal(receiver.got.length, 1, 'neither its absence nor that it is drained ends it');
  t.match((await run('host', 'show', hosts[0].hostId)).text, /two agents used its credential .*192\.0\.2\.7/);
  await run('host', 'set', hosts[0].hostId, '--conflict-is-over');
  await h.hosts.revoke(hosts[1].hostId);
  await pass(h, 9);
  // One notice or two: the worker may look between both changes.
  const ends = bodies(receiver).slice(1) as { event_type: string; resolved: boolean; hosts: { host_id: string }[] }[];
  for (const end of ends) t.match(end, { event_type: 'host.credential_conflict', resolved: true });
  t.same(
    ends.flatMap((end) => end.hosts.map(({ host_id }) => host_id)).sort(),
    hosts.map(({ hostId }) => hostId).sort(),
  );
});

t.test('the end of a problem of a removed host does not say that it came back', async (t) => {
  const { h, receiver } = await watched(t);
  const host = await addHost(h, 1);
  await host.disconnect();
  await pass(h, 4);
  await h.hosts.revoke(host.hostId);
  await pass(h, 9);
  const ends = bodies(receiver).filter(({ event_type }) => event_type === 'host.offline');
  t.match(ends, [{ resolved: false }, { resolved: true, summary: /^host \S+ is no longer offline$/ }]);
});

t.test('a crash between any two steps neither loses nor repeats a notice', async (t) => {
  const { h, receiver, smtp } = await watched(t, ['rack@example.com'], { capacity_low_percent: 0 });
  const { notices } = h.parts.operators;
  const host = await addHost(h, 1);
  await host.disconnect();
  // As after a restart: the workers have the database only, and run at any time and in any order.
  const anew = async () => {
    await Promise.all([notices.check(), notices.check(), notices.announce(), notices.announce()]);
    await h.hosts.disconnectAll();
  };
  for (let i = 0; i < 20; i++) {
    await h.clock.advance(30_000);
    await anew();
    await h.workers.idle();
  }
  t.equal(smtp.mails.length, 1);
  t.equal(receiver.got.length, 1);
  t.equal((await notices.list(9)).length, 1);
});

t.test('death at any commit: a beginning and an end are each mailed and posted once', async (t) => {
  const receiver = await startReceiver(t);
  /** Returns how many commits there were. */
  const life = async (dies: Parameters<typeof mortal>[1]): Promise<number> => {
    const h = await startHarness(t, { limits: { capacity_low_percent: 0 } });
    const { platform } = h.parts;
    const config = {
      operatorNotices: { mail: ['rack@example.com'], webhook: { url: receiver.url, secret } },
    };
    receiver.got.length = 0;
    const host = await addHost(h, 1);
    await host.disconnect();
    const dying = mortal(h.store, dies);
    const fetch = createPublicFetch({
      rules: { allowLoopback: true, allowed: noAllowedReceivers },
      resolve: async () => [],
      timeoutMs: 5_000,
      bodyBytes: 100,
    });
    let { store } = dying;
    /** Runs the workers as after a start, with nothing in memory. */
    const work = async () => {
      const deps = { ...platform, store, fetch, mail: true as const };
      const notices = createOperatorNotices({ ...deps, config });
      await notices.check();
      await notices.announce();
      await sendDueNotices({ ...deps, webhook: config.operatorNotices.webhook });
    };
    for (let minute = 0; minute < 20; minute++) {
      if (minute === 6) await host.connect();
      await h.clock.advance(MINUTE);
      await work().catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
        // It is started again.
        store = h.store;
      });
    }
    await fetch.close();
    const mails = await h.store.all<{ subject: string }>('SELECT subject FROM mails ORDER BY created_at');
    t.same(
      mails.map(({ subject }) => subject),
      ['Cidermill: host mac is offline', 'Cidermill: host mac is no longer offline'],
      JSON.stringify(dies),
    );
    const ids = new Set(receiver.got.map(({ headers }) => headers['x-svc-event-id']));
    t.equal(ids.size, 2);
    // The only thing that a crash may repeat is a request whose answer was not recorded.
    const repeated = dies === null ? 0 : 1;
    t.ok(receiver.got.length <= 2 + repeated, `${receiver.got.length} requests`);
    await h.close();
    return dying.commits();
  };
  const commits = await life(null);
  t.ok(commits >= 8, `${commits} commits`);
  // Before a commit: what came before it is stored, and what was sent before it is sent.
  const all = Array.from({ length: commits }, (_, i) => i + 1);
  for (const at of everyNth(3, all)) await life({ at, when: 'before' });
});

t.test('a receiver that is away gets the notice later; the order is kept', async (t) => {
  const receiver = await startReceiver(t, () => ({ status: 503 }));
  const h = await startHarness(t, {
    receivers: true,
    limits: { capacity_low_percent: 0 },
    operatorNotices: { mail: [], webhook: { url: receiver.url, secret } },
  });
  const host = await addHost(h, 1);
  await host.disconnect();
  await pass(h, 4);
  const [first] = await h.parts.operators.notices.list(1);
  t.match(first?.notice, {
    webhook: 'pending',
    httpStatus: 503,
    error: 'answered 503',
    errorMessage: { code: 'answered', params: { status: 503 } },
  });
  receiver.answer = () => ({ status: 204 });
  await pass(h, 12);
  t.match((await h.parts.operators.notices.list(1))[0]?.notice, { webhook: 'delivered', httpStatus: 204 });
  t.equal(new Set(receiver.got.map(({ headers }) => headers['x-svc-event-id'])).size, 1, 'one id');
  receiver.answer = () => ({ status: 400 });
  await host.connect();
  await pass(h, 12);
  t.match((await h.parts.operators.notices.list(1))[0]?.notice, { webhook: 'failed', resolved: true });
});

t.test('reports of hosts do not make the service read all hosts again and again', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await addHost(h, 1);
  const { inventory } = await h.hosts.get(host.hostId);
  if (!inventory) throw new Error('no inventory');
  await pass(h, 1);
  const { all } = h.parts.platform.store;
  let reads = 0;
  Object.assign(h.parts.platform.store, {
    all: (...given: Parameters<typeof all>) => {
      if (/FROM operator_problems/.test(given[0])) reads++;
      return all.apply(h.parts.platform.store, given);
    },
  });
  for (let i = 0; i < 50; i++) {
    await h.hosts.report(host.hostId, { inventory, draining: false });
    await h.workers.idle();
  }
  t.equal(reads, 1);
  await h.pass(1_000);
  t.equal(reads, 2, 'and the last report is not missed');
});

t.test('what an older version stored has only its text; a problem gets its code', async (t) => {
  const h = await startHarness(t, { receivers: true, limits: { capacity_low_percent: 0 } });
  const host = await addHost(h, 1);
  await host.disconnect();
  await pass(h, 5);
  const run = commandsOf(h);
  const listed = async () =>
    (await run('notices', 'list')).json as { open: object[]; notices: { problems: object[] }[] };
  const known = { reason: { code: 'not_heard', params: { since: /^2\d+-/ }, text: /^not heard since/ } };
  const { open, notices } = await listed();
  t.match([open, notices[0]?.problems], [[known], [known]]);
  t.match(notices, [{ summary_message: { code: 'host_offline', params: { name: 'mac' } } }]);

  const stored = [{ id: host.hostId, name: 'mac', message: 'gone', translations: { ko: '연결 끊김' }, since: 0 }];
  await h.store.transaction(async (tx) => {
    await tx.run("UPDATE operator_problems SET message = 'gone', reason = NULL", {});
    await tx.run('UPDATE operator_notices SET problems = :problems', { problems: JSON.stringify(stored) });
  });
  const older = await listed();
  const gone = { code: null, params: {}, text: 'gone' };
  t.same(older.notices[0]?.problems, [
    { id: host.hostId, name: 'mac', reason: gone, since: '1970-01-01T00:00:00.000Z' },
  ]);
  t.match(older.open, [{ reason: gone }]);
  await h.parts.operators.notices.check();
  const after = await listed();
  t.match(after.open, [known]);
  t.match(after.notices[0]?.problems, [{ reason: gone }], 'a notice stays as it was sent');
});

t.test('an operator tries it', async (t) => {
  const { h, receiver, smtp } = await watched(t, ['rack@example.com']);
  const run = commandsOf(h);
  t.match((await run('notices', 'list')).text, /^no open problem$/);
  const tested = await run('notices', 'test');
  t.match(tested.text, /^mail +rack@example\.com +sent\nwebhook +- +delivered \(200\)$/);
  t.match(tested.json, { notice: { kind: 'operator.test', webhook: { status: 'delivered', attempts: 1 } } });
  t.match(smtp.mails[0]?.data, /^Subject: Cidermill: this is a test of operator notices$/m);
  t.match(bodies(receiver)[0], { event_type: 'operator.test', hosts: [], tiers: [] });
  receiver.answer = () => ({ status: 401 });
  t.match((await run('notices', 'test')).text, /webhook +- +failed: answered 401$/);
  const host = await addHost(h, 1);
  await host.disconnect();
  await pass(h, 5);
  const listed = await run('notices', 'list', '--limit', '3');
  t.match(listed.text, new RegExp(`^open:\\n(capacity.*\\n)?host\\.offline +${host.hostId} +mac +not heard since`));
  t.match(listed.text, /host\.offline +begun +host mac is offline +mail 1 of 1 +webhook failed/);
});

t.test('a payment that needs an operator is announced until it is marked as settled', async (t) => {
  const { h, receiver } = await watched(t, [], { capacity_low_percent: 0 });
  await h.store.transaction((tx) =>
    openSettlement(tx, {
      id: 'pc_1',
      kind: 'refused',
      orderNo: 'TU-1',
      accountId: h.org.id,
      amountWon: 12_000,
      createdAt: h.clock.now(),
    }),
  );
  h.wake.wake('operator-notices');
  await pass(h, 3);
  const [begun] = bodies(receiver);
  t.match(begun, {
    event_type: 'payment.unsettled',
    resolved: false,
    hosts: [],
    tiers: [],
    summary: 'payment TU-1 needs an operator',
    payments: [{ id: 'pc_1', order_no: 'TU-1', message: 'the provider refuses the refund of 12,000 won' }],
  });
  const run = commandsOf(h);
  t.match((await run('payment', 'list')).text, /^pc_1 +refused +TU-1 +12000 won +since \S+ +open$/);
  await t.rejects(run('payment', 'settle', 'pc_1', '--note', ' '), /option --note: required/);
  await t.rejects(run('payment', 'settle', 'pc_1', '--note', 'x'.repeat(501)), /500 characters/);
  await t.rejects(run('payment', 'settle', 'TU-1', '--note', 'x'), { code: 'order_not_found' });
  await run('payment', 'settle', 'pc_1', '--note', '-- by hand');
  t.equal((await run('payment', 'list')).text, '');
  t.match((await run('payment', 'list', '--all')).text, /settled \S+ by operator token: -- by hand$/);
  await h.auditLog.close();
  const audited = await h.store.all(
    "SELECT action, target, result FROM audit_log WHERE action LIKE 'payment%' ORDER BY result",
  );
  t.same(audited, [
    { action: 'payment.settle', target: 'TU-1', result: 'ok' },
    { action: 'payment.settle', target: 'TU-1', result: 'order_not_found' },
  ]);
  await pass(h, 8);
  t.match(bodies(receiver)[1], { event_type: 'payment.unsettled', resolved: true });
});

t.test('the receiver of an operator may be anywhere, and redirects lead nowhere', async (t) => {
  const receiver = await startReceiver(t);
  const rules = { allowLoopback: false, allowed: noAllowedReceivers };
  const options = { resolve: async () => [], timeoutMs: 5_000, bodyBytes: 100 };
  const strict = createPublicFetch({ rules, ...options });
  const operators = createPublicFetch({ rules: { ...rules, unrestricted: true }, ...options });
  t.teardown(() => Promise.all([strict.close(), operators.close()]));
  const post = { url: receiver.url, headers: {}, body: '{}' };
  t.match(await strict.post(post), { kind: 'forbidden' });
  t.match(await operators.post(post), { kind: 'answered', status: 200 });
  const named = receiver.url.replace('127.0.0.1', 'localhost');
  t.match(await operators.post({ ...post, url: named }), { kind: 'answered' }, 'names by the system');
  receiver.answer = ({ path }) =>
    path === '/hook' ? { status: 302, headers: { location: '/elsewhere' } } : { status: 200 };
  t.match(await operators.post(post), { kind: 'answered', status: 302 });
  t.equal(receiver.got.length, 3);
  t.match(await operators.post({ ...post, url: 'file:///etc/passwd' }), { kind: 'forbidden' });
});

t.test('settings', async (t) => {
  const url = 'http://10.0.0.9:9095/hook';
  const smtp = { CIDERMILL_SMTP_URL: 'smtp://mail.example', CIDERMILL_MAIL_FROM: 'm@b.example' };
  const both = { CIDERMILL_OPERATOR_WEBHOOK_URL: url, CIDERMILL_OPERATOR_WEBHOOK_SECRET: secret };
  t.same(readConfig({ ...both, ...smtp, CIDERMILL_OPERATOR_MAIL: 'a@b.example, Ops@b.example' }).operatorNotices, {
    mail: ['a@b.example', 'ops@b.example'],
    webhook: { url, secret },
  });
  for (const [wrong, problem] of [
    [{ CIDERMILL_OPERATOR_WEBHOOK_URL: url }, /SECRET: is needed together/],
    [{ ...both, CIDERMILL_OPERATOR_WEBHOOK_URL: 'hooks.example' }, /http or https/],
    [{ ...both, CIDERMILL_OPERATOR_WEBHOOK_URL: 'https://u:hidden@hooks.example' }, /without user name/],
    [{ ...both, CIDERMILL_OPERATOR_WEBHOOK_SECRET: 'short' }, /20 visible/],
    [{ ...smtp, CIDERMILL_OPERATOR_MAIL: 'ops' }, /got "ops"/],
    [{ CIDERMILL_OPERATOR_MAIL: 'ops@b.example' }, /SMTP_URL: is needed together/],
  ] as const) {
    try {
      readConfig(wrong);
      t.fail(JSON.stringify(wrong));
    } catch (error) {
      t.match((error as ConfigError).problems.join(), problem);
      t.notMatch((error as ConfigError).problems.join(), /hidden/);
    }
  }
});
