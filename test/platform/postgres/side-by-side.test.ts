// Three processes on one database, in which every worker runs, and requests about the same account through all of them at once:
// what may happen once happens once, and no limit is exceeded.
// Runs in: soak
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { setHostShared } from '../../../control-plane/hosts/store/hosts.js';
import { putTier } from '../../../control-plane/macs/store/tiers.js';
import { migrate } from '../../../control-plane/platform/store/migrate.js';
import { migrations } from '../../../control-plane/platform/store/migrations/all.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { systemClock } from '../../../shared/clock.js';
import { readyFact } from '../../harness/desired-mac.js';
import { startPostgres } from '../../harness/postgres.js';
import { m4, machine } from '../../harness/samples.js';
import { until } from '../../harness/until.js';
import { type SideBySideOptions, startSideBySide } from './side-by-side.js';

const PROCESSES = 3;
const limits = {
  queued_builds: 40,
  webhooks: 5,
  secrets: 7,
  account_parked_requests: 4,
  sign_in_failures_per_minute: 5,
  pending_orders: 3,
  session_confirm_ms: 30 * 24 * 3_600_000,
  unpaid_expired_orders: 1_000,
};
const PASSWORD = 'correct horse battery';

const cluster = await startPostgres();
const { url } = await cluster.createDatabase();
const data = mkdtempSync(join(tmpdir(), 'cidermill-beside-'));
t.teardown(async () => {
  await cluster.stop();
  rmSync(data, { recursive: true, force: true });
});
const first = await openPostgres(url, { connections: 1 });
await migrate(first, migrations, 0);
await first.close();

const options: SideBySideOptions = { url, data, limits };
const own = await startSideBySide(options);
const { parts, store } = own;
t.teardown(() => own.stop());

const { organizations, apiKeys, users } = parts.access;
const { hosts } = parts.hosts;

interface Account {
  readonly id: number;
  readonly orgId: string;
  readonly key: string;
}

async function createAccount(name: string): Promise<Account> {
  const { id, orgId, workspaceId } = await organizations.create({ name });
  const { key } = await apiKeys.create({ accountId: id, workspaceId, name, levels: ['read', 'build', 'manage'] });
  return { id, orgId, key };
}

/** Returns a connected host of a tier of its own. */
async function addHost(tier: string, slots: number): Promise<string> {
  await store.transaction((tx) => putTier(tx, { ...m4, tier, name: tier }, systemClock.now()));
  const { token } = await hosts.createEnrolment({ tier, slots });
  const { host_id: hostId } = await hosts.enrol({ token, hostname: tier });
  await hosts.connect(hostId, { inventory: machine, draining: false, agentVersion: '0.1.0', protocol: 2 });
  return hostId;
}

const builder = await createAccount('Builder');
const hostId = await addHost('built-on', 3);
for (const { slotId } of await hosts.slots(hostId)) {
  await parts.orders.rentals.create({ accountId: builder.id, slotId, tier: 'built-on', xcode: null, hours: 720 });
}
await parts.macs.macs.macFacts(hostId, (await parts.macs.macs.desiredMacs(hostId)).map(readyFact));

const children = Array.from({ length: PROCESSES }, () =>
  fork(new URL('./side-by-side.js', import.meta.url), [JSON.stringify({ ...options, hostId })]),
);
t.teardown(() => {
  for (const child of children) child.kill('SIGKILL');
});
const addresses = await Promise.all(
  children.map(async (child) => ((await once(child, 'message')) as [{ address: string }])[0].address),
);

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly headers: Headers;
  readonly body: { id?: string; order_no?: string; error?: { code: string }; [field: string]: unknown };
}

/** Sends a request to the process of that number. */
async function send(
  to: number,
  method: string,
  path: string,
  given: { body?: object; headers?: object } = {},
): Promise<Answer> {
  const answer = await fetch(`${addresses[to % PROCESSES]}${path}`, {
    method,
    headers: {
      'service-error-format': '2',
      ...(given.body ? { 'content-type': 'application/json' } : {}),
      ...given.headers,
    },
    ...(given.body ? { body: JSON.stringify(given.body) } : {}),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    replayed: answer.headers.has('idempotent-replayed'),
    headers: answer.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
}
const call = ({ key }: Account, to: number, method: string, path: string, body?: object, headers: object = {}) =>
  send(to, method, `/api/v1${path}`, {
    ...(body ? { body } : {}),
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

const times = <T>(count: number, fn: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => fn(i)));
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const countOf = (answers: readonly Answer[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;
const script = { script: 'make', repo: 'apple/swift' };

t.test('one request with one Idempotency-Key has an effect, and all get its answer', async (t) => {
  const answers = await times(30, (i) =>
    call(builder, i, 'POST', '/builds', script, { 'idempotency-key': `key-${Math.floor(i / 6)}` }),
  );
  t.same([...new Set(statuses(answers))], [201], JSON.stringify(answers.find(({ status }) => status !== 201)?.body));
  for (let key = 0; key < 5; key++) {
    const same = answers.slice(key * 6, key * 6 + 6);
    t.equal(new Set(same.map(({ body }) => JSON.stringify(body))).size, 1, `key ${key}`);
    t.equal(same.filter(({ replayed }) => !replayed).length, 1);
  }
  t.equal((await store.get<{ n: number }>('SELECT COUNT(*) AS n FROM builds'))?.n, 5);
  const other = await call(
    builder,
    1,
    'POST',
    '/builds',
    { ...script, script: 'other' },
    { 'idempotency-key': 'key-0' },
  );
  t.equal(other.body.error?.code, 'idempotency_conflict');
});

t.test('every build runs once, one at a time on each Mac, in the order of the queue', async (t) => {
  await times(60, async (i) => {
    for (;;) {
      const { status, body } = await call(builder, i, 'POST', '/builds', script);
      if (status === 201) return;
      if (body.error?.code !== 'queue_full') throw new Error(JSON.stringify(body));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const open = () => store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM builds WHERE status IN ('queued', 'running')`);
  await until(async () => (await open())?.n === 0, 'all builds have ended');
  const rows = await store.all<{
    build_id: string;
    seq: number;
    rental_id: string;
    started_at: number;
    ended_at: number;
    status: string;
    attempt: number;
  }>('SELECT build_id, seq, rental_id, started_at, ended_at, status, attempt FROM builds ORDER BY seq');
  t.equal(rows.length, 65);
  t.same([...new Set(rows.map(({ status, attempt }) => `${status} ${attempt}`))], ['succeeded 1']);
  t.equal(new Set(rows.map(({ rental_id }) => rental_id)).size, 3, 'all Macs were used');
  for (const rental of new Set(rows.map(({ rental_id }) => rental_id))) {
    const onMac = rows
      .filter(({ rental_id }) => rental_id === rental)
      .sort((a, b) => a.started_at - b.started_at || a.seq - b.seq);
    const overlaps = onMac.filter((build, i) => i > 0 && build.started_at < (onMac[i - 1]?.ended_at ?? 0));
    t.same(overlaps, [], `one build at a time on ${rental}`);
  }
  const early = rows.filter((build, i) => rows.slice(0, i).some((before) => before.started_at > build.started_at));
  t.same(early, [], 'none has begun before an earlier one');
  const events = await store.all<{ build_id: string; told: string }>(
    `SELECT build_id, string_agg(event_type, ' ' ORDER BY sequence) AS told FROM events WHERE build_id IS NOT NULL GROUP BY build_id`,
  );
  t.equal(events.length, rows.length);
  t.same([...new Set(events.map(({ told }) => told))], ['build.queued build.started build.succeeded build.completed']);
});

t.test('what may be cancelled is cancelled once', async (t) => {
  const waiter = await createAccount('Waiter');
  const { body } = await call(waiter, 0, 'POST', '/builds', { ...script, queue_until_rental: true });
  const answers = await times(12, (i) => call(waiter, i, 'POST', `/builds/${body.id}/cancel`));
  t.ok(countOf(answers, 200) >= 1, JSON.stringify(answers[0]));
  const told = await store.all<{ event_type: string }>(
    'SELECT event_type FROM events WHERE build_id = :id ORDER BY sequence',
    { id: String(body.id) },
  );
  t.same(
    told.map(({ event_type }) => event_type),
    ['build.queued', 'build.cancelled', 'build.completed'],
  );
});

t.test('as many builds wait, webhooks and secrets are kept, as may be', async (t) => {
  const waiter = await createAccount('Full');
  const builds = await times(60, (i) => call(waiter, i, 'POST', '/builds', { ...script, queue_until_rental: true }));
  t.equal(countOf(builds, 201), limits.queued_builds);
  t.same(
    [...new Set(builds.filter(({ status }) => status !== 201).map(({ body }) => body.error?.code))],
    ['queue_full'],
  );
  const webhooks = await times(12, (i) =>
    call(waiter, i, 'POST', '/webhooks', { url: `https://192.0.43.8/${i}`, events: ['build.succeeded'] }),
  );
  t.equal(countOf(webhooks, 201), limits.webhooks, JSON.stringify(webhooks.at(-1)?.body));
  const secrets = await times(15, (i) => call(waiter, i, 'PUT', `/secrets/NAME_${i}`, { value: 'x' }));
  const kept = await store.get<{ n: number }>('SELECT COUNT(*) AS n FROM secrets WHERE account_id = :id', {
    id: waiter.id,
  });
  t.equal(kept?.n, limits.secrets, JSON.stringify(secrets.at(-1)?.body));
});

t.test('no slot is held twice, and no more orders are unpaid than may be', async (t) => {
  const sold = await addHost('sold', 8);
  await store.transaction((tx) => setHostShared(tx, sold, true));
  const accounts = await Promise.all(['One', 'Two', 'Three', 'Four'].map(createAccount));
  const answers = await times(40, (i) =>
    call(accounts[i % 4] as Account, i, 'POST', '/orders', { tier: 'sold', hours: 24 }),
  );
  t.equal(countOf(answers, 201), 8, JSON.stringify(answers.find(({ status }) => status !== 201)?.body));
  const codes = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.error?.code));
  for (const code of codes) t.ok(['no_capacity', 'too_many_pending_orders'].includes(String(code)), String(code));
  const held = await store.all<{ slot_id: string; n: number }>(
    'SELECT slot_id, COUNT(*) AS n FROM holds GROUP BY slot_id',
  );
  t.same(
    held.map(({ n }) => n),
    Array(8).fill(1),
  );
  const unpaid = await store.all<{ n: number }>('SELECT COUNT(*) AS n FROM orders GROUP BY account_id');
  t.ok(unpaid.every(({ n }) => n <= limits.pending_orders));
  t.same(await parts.renting.audit.run(), [], 'the calendar and the database say the same');
});

async function signIn(to: number, email: string, password: string) {
  return send(to, 'POST', '/api/runner/v1/session', { body: { email, password } });
}

t.test('an order is paid once', async (t) => {
  await addHost('paid', 4);
  const payer = await createAccount('Payer');
  await users.create({
    email: 'payer@example.com',
    password: PASSWORD,
    operator: false,
    membership: { accountId: payer.id, role: 'owner' },
  });
  const signedIn = await signIn(0, 'payer@example.com', PASSWORD);
  const cookie = String(signedIn.headers.get('set-cookie')).split(';', 1)[0] ?? '';
  const ordered = await call(payer, 0, 'POST', '/orders', { tier: 'paid', hours: 24, units: 2 });
  t.equal(ordered.status, 201, JSON.stringify(ordered.body));
  const path = `/api/runner/v1/organizations/${payer.orgId}/orders/${ordered.body.order_no}`;
  const answers = await times(12, (i) =>
    send(i, 'POST', `${path}/${i % 4 === 3 ? 'cancel' : 'pay'}`, {
      headers: { cookie },
      body: i % 4 === 3 ? {} : { consents: { terms: true, withdrawal: true } },
    }),
  );
  const ledger = await store.all<{ amount_won: number }>('SELECT amount_won FROM ledger WHERE account_id = :id', {
    id: payer.id,
  });
  const status = (await call(payer, 1, 'GET', `/orders/${ordered.body.order_no}`)).body.status;
  const rentals = await store.get<{ n: number }>('SELECT COUNT(*) AS n FROM macs WHERE account_id = :id', {
    id: payer.id,
  });
  const payments = await store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM local_payments WHERE payment_id = :id`, {
    id: String(ordered.body.order_no),
  });
  if (status === 'canceled' || status === 'cancelled') {
    t.same(ledger, [], `cancelled: ${JSON.stringify(answers[0]?.body)}`);
    t.equal(rentals?.n, 0);
  } else {
    t.same(ledger, [{ amount_won: 20_000 }], `${status}: ${JSON.stringify(answers[0]?.body)}`);
    t.equal(rentals?.n, 2);
    t.equal(payments?.n, 1);
  }
});

t.test('wrong passwords count wherever they are tried', async (t) => {
  const { id } = await createAccount('Guessed');
  await users.create({
    email: 'guessed@example.com',
    password: PASSWORD,
    operator: false,
    membership: { accountId: id, role: 'owner' },
  });
  const began = systemClock.monotonic();
  const answers = await times(24, (i) => signIn(i, 'guessed@example.com', 'wrong'));
  const tried = answers.length - countOf(answers, 429);
  // One more in twelve seconds.
  const most = limits.sign_in_failures_per_minute + Math.ceil((systemClock.monotonic() - began) / 12_000);
  t.ok(tried >= limits.sign_in_failures_per_minute && tried <= most, `${tried} of at most ${most} tried`);
});

t.test('as many requests wait as may', async (t) => {
  const waiter = await createAccount('Patient');
  const { body } = await call(waiter, 0, 'POST', '/builds', { ...script, queue_until_rental: true });
  const answers = await times(15, (i) => call(waiter, i, 'GET', `/builds/${body.id}/wait?timeout=2`));
  t.equal(
    countOf(answers, 204) + countOf(answers, 200),
    limits.account_parked_requests,
    JSON.stringify(statuses(answers)),
  );
  t.equal(countOf(answers, 429), 11);
  const again = await call(waiter, 1, 'GET', '/me');
  t.equal(again.status, 200);
});

t.test('none of the processes has met an error', async (t) => {
  const told = await Promise.all(
    children.map(async (child) => {
      const answered = once(child, 'message') as Promise<[{ errors: string[] }]>;
      child.send('stop');
      return (await answered)[0].errors;
    }),
  );
  t.same(told.flat(), []);
  t.same(own.errors, []);
  t.same(await parts.renting.audit.run(), []);
});
