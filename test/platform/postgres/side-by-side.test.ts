// Three programs of the control plane on one database, and requests about the same account through all of them at once: what
// may happen once happens once, and no limit is exceeded. The table at the end names the check of every invariant.
// Runs in: soak
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { createClient } from '../../../client/index.js';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { type Account, type Answer, PASSWORD, startPrograms } from '../../harness/programs.js';
import { sha256 } from '../../harness/sha256.js';
import { until } from '../../harness/until.js';
import { uploadFile } from '../../harness/upload-file.js';
import { checkedElsewhere, checkedHere } from './invariants-of-several.js';

const MiB = 1024 * 1024;
const limits = {
  queued_builds: 40,
  webhooks: 5,
  secrets: 7,
  account_parked_requests: 4,
  sign_in_failures_per_minute: 5,
  pending_orders: 3,
  unpaid_share_percent: 100,
  unpaid_expired_orders: 1_000,
  session_confirm_ms: 30 * 24 * 3_600_000,
  account_contents_bytes: 2 * MiB,
  account_records_bytes: 2 * MiB,
  requests_per_minute: 1_000_000,
  account_requests_per_minute: 1_000_000,
};
const env = Object.fromEntries(
  Object.entries(limits).map(([name, value]) => [`CIDERMILL_${name.toUpperCase()}`, String(value)]),
);

const programs = await startPrograms(t, { count: 3, env });
const { store, call, send, admin, createAccount, addHost, at } = programs;
programs.balancer.leadTo(at(0).port);

const times = <T>(count: number, fn: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => fn(i)));
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const countOf = (answers: readonly Answer[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;
const codesOf = (answers: readonly Answer[], but: number) =>
  [...new Set(answers.filter(({ status }) => status !== but).map(({ body }) => body.error?.code))].sort();
const numberOf = async (sql: string, params: Record<string, string | number> = {}) =>
  Number((await store.get<{ n: number }>(sql, params))?.n ?? 0);
const accountIdOf = ({ orgId }: Account) =>
  numberOf('SELECT id AS n FROM organizations WHERE org_id = :orgId', { orgId });

const builder = await createAccount('Builder');
await addHost('built-on', 3);
for (let n = 0; n < 3; n++) await admin('rental', 'grant', '--org', builder.orgId, '--tier', 'built-on', '--forever');
const macs = async ({ key }: Account, to = 0): Promise<{ rental_id: string; state: string }[]> =>
  (await call({ orgId: '', key }, to, 'GET', '/rentals')).body.rentals as { rental_id: string; state: string }[];
await until(
  async () => (await macs(builder)).filter(({ state }) => state === 'ready').length === 3,
  'the Macs are ready',
  120_000,
);
const uploadId = await uploadFile(createClient({ url: `${at(0).url}/api/v1`, key: builder.key }));
const quick = { script: 'true', upload_id: uploadId };
const waiting = { script: 'make', repo: 'apple/swift', queue_until_rental: true };

const open = () =>
  numberOf(`SELECT COUNT(*) AS n FROM builds WHERE status IN ('queued', 'running') AND queue_until_rental = 0`);
const allEnded = () => until(async () => (await open()) === 0, 'all builds have ended', 240_000);
const ENDS = `'build.succeeded', 'build.failed', 'build.cancelled', 'build.expired'`;

interface Ran {
  build_id: string;
  seq: number;
  rental_id: string;
  started_at: number;
  ended_at: number;
  status: string;
}
const ran = () =>
  store.all<Ran>(
    'SELECT build_id, seq, rental_id, started_at, ended_at, status FROM builds WHERE started_at IS NOT NULL ORDER BY seq',
  );
/** Builds that have begun on a Mac before an earlier one on it had ended. */
function overlapsOf(rows: readonly Ran[]): Ran[] {
  return [...new Set(rows.map(({ rental_id }) => rental_id))].flatMap((rental) => {
    const onMac = rows
      .filter(({ rental_id }) => rental_id === rental)
      .sort((a, b) => a.started_at - b.started_at || a.seq - b.seq);
    return onMac.filter((build, i) => i > 0 && build.started_at < (onMac[i - 1]?.ended_at ?? 0));
  });
}

t.test('one request with one Idempotency-Key has an effect, and all get its answer', async (t) => {
  const answers = await times(30, (i) =>
    call(builder, i, 'POST', '/builds', quick, { 'idempotency-key': `key-${Math.floor(i / 6)}` }),
  );
  t.same([...new Set(statuses(answers))], [201], JSON.stringify(answers.find(({ status }) => status !== 201)?.body));
  for (let key = 0; key < 5; key++) {
    const same = answers.slice(key * 6, key * 6 + 6);
    t.equal(new Set(same.map(({ body }) => JSON.stringify(body))).size, 1, `key ${key}`);
    t.equal(same.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
  }
  t.equal(await numberOf('SELECT COUNT(*) AS n FROM builds'), 5);
  const other = await call(
    builder,
    1,
    'POST',
    '/builds',
    { ...quick, script: 'other' },
    { 'idempotency-key': 'key-0' },
  );
  t.equal(other.body.error?.code, 'idempotency_conflict');
});

t.test('every build runs once, one at a time on each Mac, in the order of the queue', async (t) => {
  const answers = await times(30, (i) => call(builder, i, 'POST', '/builds', quick));
  t.equal(countOf(answers, 201), 30, JSON.stringify(codesOf(answers, 201)));
  await allEnded();
  const rows = await ran();
  t.equal(rows.length, 35);
  t.same([...new Set(rows.map(({ status }) => status))], ['succeeded']);
  t.equal(new Set(rows.map(({ rental_id }) => rental_id)).size, 3, 'all Macs were used');
  t.same(overlapsOf(rows), [], 'one build at a time');
  const early = rows.filter((build, i) => rows.slice(0, i).some((before) => before.started_at > build.started_at));
  t.same(early, [], 'none has begun before an earlier one');
  const events = await store.all<{ told: string }>(
    `SELECT string_agg(event_type, ' ' ORDER BY sequence) AS told FROM events WHERE build_id IS NOT NULL GROUP BY build_id`,
  );
  t.equal(events.length, rows.length);
  t.same([...new Set(events.map(({ told }) => told))], ['build.queued build.started build.succeeded build.completed']);
});

t.test('a build that ends while all cancel it ends once', async (t) => {
  const made = await times(9, (i) => call(builder, i, 'POST', '/builds', { ...quick, script: 'sleep 0.3' }));
  const ids = made.map(({ body }) => String(body.id));
  const cancelled = ids.map(async (id, i) => {
    const state = () =>
      store.get<{ status: string; reported: number }>('SELECT status, reported FROM builds WHERE build_id = :id', {
        id,
      });
    await until(
      async () => (await state())?.reported === 1 || (await state())?.status !== 'queued',
      `${id} runs`,
      120_000,
    );
    await pause(systemClock, i * 60);
    return times(6, (to) => call(builder, to, 'POST', `/builds/${id}/cancel`));
  });
  const answers = (await Promise.all(cancelled)).flat();
  t.same(
    [...new Set(statuses(answers))].filter((status) => status >= 500),
    [],
  );
  await allEnded();
  for (const id of ids) {
    const build = await store.get<{ status: string }>('SELECT status FROM builds WHERE build_id = :id', { id });
    const ends = await store.all<{ event_type: string }>(
      `SELECT event_type FROM events WHERE build_id = :id AND event_type IN (${ENDS})`,
      { id },
    );
    t.same(
      ends.map(({ event_type }) => event_type),
      [`build.${build?.status}`],
      id,
    );
  }
  t.same(overlapsOf(await ran()), [], 'still one build at a time');
});

t.test('no build runs on a Mac while it is reset', async (t) => {
  const [mac] = await macs(builder);
  const pinned = { ...quick, rental_id: mac?.rental_id, script: 'sleep 0.2' };
  const answers = await times(18, (i) =>
    i % 3 === 2
      ? call(builder, i, 'POST', `/rentals/${mac?.rental_id}/reset`, {
          keep_cache: true,
          when: i % 2 ? 'now' : 'after_build',
        })
      : call(builder, i, 'POST', '/builds', pinned),
  );
  t.same(
    statuses(answers).filter((status) => status >= 500),
    [],
  );
  t.ok(countOf(answers, 202) > 0, `it was reset: ${JSON.stringify(codesOf(answers, 201))}`);
  t.ok(countOf(answers, 201) > 0, 'builds were accepted');
  await allEnded();
  const jobs = () =>
    store.all<{ status: string; started_at: number; ended_at: number }>(
      `SELECT status, started_at, ended_at FROM jobs WHERE kind = 'reset' ORDER BY created_at`,
    );
  await until(
    async () => (await jobs()).every(({ status }) => status === 'done' || status === 'failed'),
    'the resets have ended',
    120_000,
  );
  await allEnded();
  const resets = (await jobs()).filter(({ started_at }) => started_at !== null);
  t.ok(resets.length > 0);
  const builds = (await ran()).filter(({ rental_id }) => rental_id === mac?.rental_id);
  const during = builds.filter(({ started_at, ended_at }) =>
    resets.some((job) => started_at < job.ended_at && job.started_at < ended_at),
  );
  t.same(during, []);
  t.same(overlapsOf(builds), []);
});

t.test('what may be cancelled is cancelled once', async (t) => {
  const waiter = await createAccount('Waiter');
  const { body } = await call(waiter, 0, 'POST', '/builds', waiting);
  const answers = await times(12, (i) => call(waiter, i, 'POST', `/builds/${body.id}/cancel`));
  t.ok(countOf(answers, 200) >= 1, JSON.stringify(answers[0]));
  const told = await store.all<{ event_type: string }>(
    'SELECT event_type FROM events WHERE build_id = :id ORDER BY sequence',
    {
      id: String(body.id),
    },
  );
  t.same(
    told.map(({ event_type }) => event_type),
    ['build.queued', 'build.cancelled', 'build.completed'],
  );
});

t.test('as many builds wait, webhooks and secrets are kept, as may be', async (t) => {
  const waiter = await createAccount('Full');
  const builds = await times(60, (i) => call(waiter, i, 'POST', '/builds', waiting));
  t.equal(countOf(builds, 201), limits.queued_builds);
  t.same(codesOf(builds, 201), ['queue_full']);
  const webhooks = await times(12, (i) =>
    call(waiter, i, 'POST', '/webhooks', { url: `https://192.0.43.8/${i}`, events: ['build.succeeded'] }),
  );
  t.equal(countOf(webhooks, 201), limits.webhooks, JSON.stringify(webhooks.at(-1)?.body));
  await times(15, (i) => call(waiter, i, 'PUT', `/secrets/NAME_${i}`, { value: 'x' }));
  const kept = await numberOf('SELECT COUNT(*) AS n FROM secrets WHERE account_id = :id', {
    id: await accountIdOf(waiter),
  });
  t.equal(kept, limits.secrets);
});

t.test('an account stores no more files than it may', async (t) => {
  const storer = await createAccount('Storer');
  const size = 256 * 1024;
  const upload = async (to: number, path: string, bytes: Buffer | string): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${storer.key}`,
      'content-type': 'application/gzip',
      'service-error-format': '2',
    };
    const answer = await fetch(`${at(to).url}/api/v1${path}`, { method: 'POST', headers, body: gzipSync(bytes) });
    return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || '{}') };
  };
  const answers = await times(16, async (i) => {
    const bytes = Buffer.alloc(size, `content ${i}`);
    const file = { path: 'f', sha256: sha256(bytes), size, mode: 0o644 };
    const { id } = (await upload(i, '/uploads', JSON.stringify({ project: `p${i}`, files: [file] }))).body;
    return upload(i, `/uploads/${id}/blobs`, Buffer.concat([Buffer.from(`${file.sha256} ${size}\n`), bytes]));
  });
  const id = await accountIdOf(storer);
  const stored = await numberOf('SELECT COALESCE(SUM(size), 0) AS n FROM blobs WHERE account_id = :id', { id });
  const counted = await numberOf('SELECT contents_bytes AS n FROM account_usage WHERE account_id = :id', { id });
  t.ok(
    stored >= size && counted <= limits.account_contents_bytes,
    `${stored} stored, ${counted} counted, ${codesOf(answers, 200)}`,
  );
  t.ok(counted >= stored);
  const refused = answers.filter(({ status }) => status >= 300);
  t.ok(refused.length > 0, 'some were refused');
  t.same(
    refused.filter(({ status }) => status >= 500),
    [],
  );
  t.comment(`${answers.length - refused.length} of ${answers.length} stored; ${codesOf(answers, 200)}`);
});

t.test('an account has no more records than it may', async (t) => {
  const writer = await createAccount('Writer');
  const answers = await times(66, (i) =>
    call(writer, i, 'POST', '/builds', { ...waiting, script: `# ${i}\n`.padEnd(60_000, 'x') }),
  );
  const id = await accountIdOf(writer);
  const counted = await numberOf('SELECT records_bytes AS n FROM account_usage WHERE account_id = :id', { id });
  const scripts = await numberOf('SELECT SUM(bytes) AS n FROM scripts WHERE account_id = :id', { id });
  t.ok(scripts <= limits.account_records_bytes, `${scripts} bytes of bodies were admitted`);
  // Of a request its body is asked for; the rest of its rows, and those of refusals, may exceed the limit a little.
  t.ok(counted <= limits.account_records_bytes + answers.length * 2_000, `${counted} bytes are counted`);
  t.ok(counted > limits.account_records_bytes - 300_000, `${counted} bytes: nearly all that it may`);
  t.ok(countOf(answers, 201) > 20);
  t.same(
    statuses(answers).filter((status) => status >= 500),
    [],
  );
  t.comment(`${countOf(answers, 201)} accepted, ${counted} bytes; ${codesOf(answers, 201)}`);
});

/** Pairs of rentals and orders that have one slot at the same time. */
const doubled = () =>
  store.all(
    `WITH taken AS (
       SELECT m.slot_id, r.rental_id AS id, r.starts_at, COALESCE(r.ended_at, r.ends_at) AS ends_at
       FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
       UNION ALL SELECT slot_id, COALESCE(rental_id, 'hold-' || hold_id), starts_at, ends_at FROM holds)
     SELECT a.id AS one, b.id AS other FROM taken a JOIN taken b ON a.slot_id = b.slot_id AND a.id < b.id
       AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at`,
  );

t.test('no slot is held twice, and no more orders are unpaid than may be', async (t) => {
  await addHost('sold', 8);
  await store.run(`UPDATE hosts SET shared = 1, calendar_revision = calendar_revision + 1 WHERE tier = 'sold'`);
  const accounts = await Promise.all(['One', 'Two', 'Three', 'Four'].map(createAccount));
  const answers = await times(40, (i) =>
    call(accounts[i % 4] as Account, i, 'POST', '/orders', { tier: 'sold', hours: 24 }),
  );
  t.equal(countOf(answers, 201), 8, JSON.stringify(answers.find(({ status }) => status !== 201)?.body));
  t.same(
    codesOf(answers, 201).filter((code) => !['no_capacity', 'too_many_pending_orders'].includes(String(code))),
    [],
  );
  t.same(await doubled(), []);
  const unpaid = await store.all<{ n: number }>('SELECT COUNT(*) AS n FROM orders GROUP BY account_id');
  t.ok(unpaid.every(({ n }) => n <= limits.pending_orders));
});

const signIn = (to: number, email: string, password: string) =>
  send(to, 'POST', '/api/runner/v1/session', { body: { email, password } });
const consents = { terms: true, withdrawal: true };

t.test('an order is paid once, and what ends is not extended, and what is extended does not end', async (t) => {
  await addHost('paid', 6);
  const payer = await createAccount('Payer');
  await programs.createOwner(payer, 'payer@example.com');
  const signedIn = await signIn(0, 'payer@example.com', PASSWORD);
  const cookie = String(signedIn.headers.get('set-cookie')).split(';', 1)[0] ?? '';
  const id = await accountIdOf(payer);
  const ofOrder = (no: unknown) => `/api/runner/v1/organizations/${payer.orgId}/orders/${no}`;
  const ledgerOf = (no: unknown) =>
    store.all<{ kind: string; amount_won: number }>(
      'SELECT kind, amount_won FROM ledger WHERE order_no = :no ORDER BY entry_id',
      { no: String(no) },
    );

  await t.test('paid and cancelled through all', async (t) => {
    const ordered = await call(payer, 0, 'POST', '/orders', { tier: 'paid', hours: 24, units: 2 });
    t.equal(ordered.status, 201, JSON.stringify(ordered.body));
    const { order_no } = ordered.body;
    const answers = await times(12, (i) =>
      send(i, 'POST', `${ofOrder(order_no)}/${i % 4 === 3 ? 'cancel' : 'pay'}`, {
        headers: { cookie },
        body: i % 4 === 3 ? {} : { consents },
      }),
    );
    t.same(
      statuses(answers).filter((status) => status >= 500),
      [],
    );
    const { status } = (await call(payer, 1, 'GET', `/orders/${order_no}`)).body;
    const rentals = await numberOf('SELECT COUNT(*) AS n FROM rentals WHERE order_no = :no', { no: String(order_no) });
    const ledger = await ledgerOf(order_no);
    t.comment(`the order is ${status}`);
    if (status === 'canceled') t.same([ledger, rentals], [[], 0]);
    else t.same([ledger.map(({ amount_won }) => amount_won), rentals], [[20_000], 2]);
  });

  await t.test('extended while it ends', async (t) => {
    const ordered = await call(payer, 0, 'POST', '/orders', { tier: 'paid', hours: 24, units: 4 });
    t.equal(ordered.status, 201, JSON.stringify(ordered.body));
    const paid = await times(6, (i) =>
      send(i, 'POST', `${ofOrder(ordered.body.order_no)}/pay`, { headers: { cookie }, body: { consents } }),
    );
    t.ok(countOf(paid, 200) > 0, JSON.stringify(paid[0]?.body));
    t.same((await ledgerOf(ordered.body.order_no)).length, 1);
    const rentals = () =>
      store.all<{ rental_id: string; ready_at: number | null; ends_at: number; ended_at: number | null }>(
        `SELECT r.rental_id, m.ready_at, r.ends_at, r.ended_at FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
         WHERE r.order_no = :no ORDER BY r.rental_id`,
        { no: String(ordered.body.order_no) },
      );
    await until(
      async () => (await rentals()).every(({ ready_at }) => ready_at !== null),
      'the Macs are ready',
      120_000,
    );
    for (const [which, { rental_id }] of (await rentals()).entries()) {
      const end = systemClock.now() + 1_500;
      await store.transaction(async (tx) => {
        await tx.run('UPDATE rentals SET ends_at = :end WHERE rental_id = :rental_id', { end, rental_id });
        await tx.run('UPDATE macs SET usable_until = :end WHERE rental_id = :rental_id', { end, rental_id });
        await tx.run(`UPDATE hosts SET calendar_revision = calendar_revision + 1 WHERE tier = 'paid'`);
      });
      // Everybody is told that something has changed.
      await store.get(`SELECT pg_notify('cidermill', '["cp_other",null]')`);
      await pause(systemClock, [1_440, 1_490, 1_510, 5_000][which] ?? 0);
      const asked = await times(9, (i) => call(payer, i, 'POST', `/rentals/${rental_id}/extend`, { hours: 24 }));
      t.same(
        statuses(asked).filter((status) => status >= 500),
        [],
        JSON.stringify(asked[0]?.body),
      );
      const numbers = asked.flatMap(({ status, body }) => (status === 201 ? [String(body.order_no)] : []));
      t.ok(numbers.length <= 1, 'at most one extension is open');
      for (const no of numbers) {
        const paid = await times(6, (i) =>
          send(i, 'POST', `${ofOrder(no)}/pay`, { headers: { cookie }, body: { consents } }),
        );
        t.ok(countOf(paid, 200) > 0, JSON.stringify(paid[0]?.body));
        t.equal((await ledgerOf(no)).length, 1, 'it is paid once');
      }
      const rental = async () => (await rentals()).find((one) => one.rental_id === rental_id);
      await until(
        async () =>
          ((await rental())?.ended_at ?? null) !== null || ((await rental())?.ends_at ?? 0) > systemClock.now(),
        'it is decided',
        120_000,
      );
      const { ended_at = null } = (await rental()) ?? {};
      t.comment(`${rental_id} has ${ended_at === null ? 'been extended' : 'ended'}: ${codesOf(asked, 201)}`);
      t.equal(ended_at === null, numbers.length === 1, 'it goes on if and only if it was extended');
      const ends = await numberOf(
        `SELECT COUNT(*) AS n FROM events WHERE subject_id = :rental_id AND event_type = 'rental.ended'`,
        { rental_id },
      );
      t.equal(ends, ended_at === null ? 0 : 1);
      t.equal(await numberOf('SELECT COUNT(*) AS n FROM holds WHERE rental_id = :rental_id', { rental_id }), 0);
    }
  });
  t.equal(
    await numberOf('SELECT COUNT(*) AS n FROM ledger WHERE account_id = :id AND amount_won < 0', { id }),
    await numberOf(`SELECT COUNT(*) AS n FROM payment_cancellations WHERE account_id = :id AND status = 'succeeded'`, {
      id,
    }),
  );
  t.same(await doubled(), []);
});

t.test('wrong passwords count wherever they are tried', async (t) => {
  await programs.createOwner(await createAccount('Guessed'), 'guessed@example.com');
  const began = systemClock.monotonic();
  const answers = await times(24, (i) => signIn(i, 'guessed@example.com', 'wrong'));
  const tried = answers.length - countOf(answers, 429);
  // One more in twelve seconds.
  const most = limits.sign_in_failures_per_minute + Math.ceil((systemClock.monotonic() - began) / 12_000);
  t.ok(tried >= limits.sign_in_failures_per_minute && tried <= most, `${tried} of at most ${most} tried`);
});

t.test('as many requests wait as may', async (t) => {
  const waiter = await createAccount('Patient');
  const { body } = await call(waiter, 0, 'POST', '/builds', waiting);
  const answers = await times(15, (i) => call(waiter, i, 'GET', `/builds/${body.id}/wait?timeout=2`));
  t.equal(
    countOf(answers, 204) + countOf(answers, 200),
    limits.account_parked_requests,
    JSON.stringify(statuses(answers)),
  );
  t.equal(countOf(answers, 429), 11);
  t.equal((await call(waiter, 1, 'GET', '/me')).status, 200);
});

t.test('the calendars agree, the programs are well, and no request failed in one of them', async (t) => {
  t.same(await doubled(), []);
  for (const { url } of programs.programs) {
    const health = await (await fetch(`${url}/healthz`)).text();
    t.notMatch(health, /^degraded: availability/m);
  }
  t.equal(await numberOf(`SELECT COUNT(*) AS n FROM api_errors WHERE code = 'internal_error'`), 0);
});

t.test('every invariant is checked with several processes, or says why it is not', async (t) => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const invariants = [...text.matchAll(/^\*\*Invariant: (.+?)\.?\*\*/gm)].map(([, name]) => name);
  t.ok(invariants.length > 15);
  const own = readFileSync('test/platform/postgres/side-by-side.test.ts', 'utf8');
  for (const name of invariants) {
    const here = checkedHere[name ?? ''] ?? [];
    t.ok(here.length > 0 || (checkedElsewhere[name ?? ''] ?? '') !== '', `${name} has a row`);
    for (const title of here) t.ok(own.includes(`t.test('${title}'`), `${name}: ${title}`);
  }
  t.same(
    Object.keys({ ...checkedHere, ...checkedElsewhere }).filter((name) => !invariants.includes(name)),
    [],
  );
});
