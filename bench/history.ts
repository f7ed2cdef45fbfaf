// Compares lists, queues and background work on two databases in one run: a million builds of 400 days, and only the newest
// 60 builds of each account. `--builds N` sets another number; `--keep` leaves the databases for the next run.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { assignBuilds } from '../control-plane/builds/app/build-assignment.js';
import { compose } from '../control-plane/compose/compose.js';
import { readConfig } from '../control-plane/config.js';
import { fanOutSome } from '../control-plane/events/app/event-fanout.js';
import { migrate } from '../control-plane/platform/store/migrate.js';
import { migrations } from '../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { systemClock } from '../shared/clock.js';
import { pause } from '../shared/pause.js';
import { ACCOUNTS, addAccounts, addHistory, DAYS, rentalOf } from './long-history.js';
import { median, print, ratio } from './report.js';

const argument = (name: string, fallback: number) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const long = argument('--builds', 1_000_000);
const short = 60 * ACCOUNTS;
const rounds = argument('--rounds', 15);
const keep = process.argv.includes('--keep');
const queued = 10_000;
const now = systemClock.now();

type Service = Awaited<ReturnType<typeof open>>;

async function open(name: string, builds: number) {
  const data = join(tmpdir(), `cidermill-history-${name}-${builds}`);
  const file = join(data, 'cidermill.db');
  const made = existsSync(file);
  mkdirSync(data, { recursive: true });
  if (!made) {
    const fresh = openSqlite(file);
    await migrate(fresh, migrations, now);
    await fresh.transaction((tx) => addAccounts(tx, now));
    await fresh.close();
    addHistory(file, { builds, queued, now });
    // The service does this on startup, so that the planner has statistics.
    const analyzed = openSqlite(file);
    await analyzed.run('ANALYZE');
    await analyzed.close();
  }
  const begun = process.hrtime.bigint();
  const store = openSqlite(file);
  await migrate(store, migrations, now);
  const config = readConfig({}, { CIDERMILL_DATA: data, CIDERMILL_PAYMENT_PROVIDER: 'sandbox' });
  const many = 100_000_000;
  const limits = {
    ...config.limits,
    requests_per_minute: many,
    account_requests_per_minute: many,
    queued_builds: many,
    keys: many,
  };
  const parts = await compose({
    config: { ...config, data, limits },
    store,
    siteUrl: 'http://bench.test',
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  await parts.server.ready();
  const startMs = Number(process.hrtime.bigint() - begun) / 1e6;
  const { key } = await parts.access.apiKeys.create({
    accountId: 1,
    workspaceId: 'ws_1',
    name: 'bench',
    levels: ['read', 'build', 'manage'],
  });
  await store.run(
    `INSERT INTO webhooks (webhook_id, account_id, url, events, status, secret, test, created_at)
     VALUES ('wh_1', 1, 'https://hooks.example.com/', '["build.succeeded"]', 'enabled', x'00', '{}', 0)
     ON CONFLICT DO NOTHING`,
  );
  const ids = await store.all<{ build_id: string }>(
    `SELECT build_id FROM builds WHERE account_id = 1 AND status <> 'queued' ORDER BY created_at LIMIT 3`,
  );
  const waiting = await store.all<{ build_id: string }>(
    `SELECT build_id FROM builds WHERE account_id = 1 AND status = 'queued' LIMIT 1`,
  );
  const middle = await store.get<{ build_id: string }>(
    `SELECT build_id FROM builds WHERE account_id = 1 ORDER BY created_at LIMIT 1 OFFSET :half`,
    { half: Math.floor(builds / 4) },
  );
  return {
    data,
    store,
    parts,
    limits,
    key,
    startMs,
    middle: middle?.build_id ?? '',
    oldest: ids[2]?.build_id ?? '',
    queued: waiting[0]?.build_id ?? '',
    async close() {
      await parts.close();
      await store.close();
      if (!keep) rmSync(data, { recursive: true });
    },
  };
}

const get = (path: (service: Service) => string) => async (service: Service) => {
  const answer = await service.parts.server.inject({
    method: 'GET',
    url: `/api/v1${path(service)}`,
    headers: { authorization: `Bearer ${service.key}` },
  });
  if (answer.statusCode !== 200) throw new Error(`${path(service)}: ${answer.statusCode} ${answer.body}`);
};
const at = (days: number) => new Date(now - days * 86_400_000).toISOString();
const build = { repo: 'owner/app-1', script: 'make', queue_until_rental: true };

const work: [string, (service: Service) => Promise<void>][] = [
  ['GET /builds', get(() => '/builds')],
  ['GET /builds?status=failed', get(() => '/builds?status=failed')],
  ['GET /builds?status=expired', get(() => '/builds?status=expired')],
  ['GET /builds?status=active', get(() => '/builds?status=active')],
  ['GET /builds?repo=', get(() => '/builds?repo=owner/app-7')],
  ['GET /builds?repo= without matches', get(() => '/builds?repo=owner/none')],
  ['GET /builds?pr=', get(() => '/builds?pr=7')],
  ['GET /builds?rental_id=', get(() => `/builds?rental_id=${rentalOf(1, 5)}`)],
  ['GET /builds?from&to, long ago', get(() => `/builds?from=${at(DAYS / 2)}&to=${at(DAYS / 2 - 20)}`)],
  ['GET /builds?to, long ago', get(() => `/builds?to=${at(DAYS - 20)}`)],
  ['GET /builds?before, in the middle', get(({ middle }) => `/builds?before=${middle}`)],
  ['GET /builds?before, at the end', get(({ oldest }) => `/builds?before=${oldest}`)],
  ['GET /builds?status&before', get(({ middle }) => `/builds?status=failed&before=${middle}`)],
  ['GET /builds?repo&status', get(() => '/builds?repo=owner/app-7&status=failed')],
  ['GET /builds?q= with many matches', get(() => '/builds?q=app-7')],
  ['GET /builds?q= without matches', get(() => '/builds?q=nowhere')],
  ['GET /builds?repo&status without matches', get(() => '/builds?repo=owner/app-7&status=expired')],
  ['GET /queue', get(() => '/queue')],
  ['GET /status', get(() => '/status')],
  ['GET /builds/{queued}', get(({ queued: id }) => `/builds/${id}`)],
  ['GET /errors', get(() => '/errors')],
  ['GET /errors?code= without matches', get(() => '/errors?code=nothing')],
  ['GET deliveries', get(() => '/webhooks/wh_1/deliveries')],
  ['GET deliveries?status=failed', get(() => '/webhooks/wh_1/deliveries?status=failed')],
  ['GET deliveries?status=pending', get(() => '/webhooks/wh_1/deliveries?status=pending')],
  [
    'POST /builds',
    async ({ parts, key }) => {
      const answer = await parts.server.inject({
        method: 'POST',
        url: '/api/v1/builds',
        payload: build,
        headers: { authorization: `Bearer ${key}` },
      });
      if (answer.statusCode !== 201) throw new Error(answer.body);
    },
  ],
  [
    'a scheduling step',
    async ({ parts, store, limits }) => {
      const { wake } = parts.platform;
      const deps = { ...parts.platform, ...parts.builds.ends, limits, store, wake, clock: systemClock };
      if ((await assignBuilds(deps, 1)) !== 1) throw new Error('no build was assigned');
      await store.run(
        `UPDATE builds SET status = 'cancelled', ended_at = :now WHERE status = 'running' AND account_id = 1`,
        { now: systemClock.now() },
      );
      await store.run(`UPDATE macs SET state = 'ready', build_id = NULL WHERE rental_id = :rental`, {
        rental: rentalOf(1, 29),
      });
    },
  ],
  [
    'fan-out of events',
    async ({ parts, store }) => {
      const deps = { store, clock: systemClock, wake: parts.platform.wake };
      await fanOutSome({ ...deps, wantCommitStatus: parts.events.commitStatuses.want });
    },
  ],
  ['GET /metrics', async ({ parts }) => void (await parts.server.inject('/metrics'))],
];

const services = { long: await open('long', long), short: await open('short', short) };
const only = process.argv.indexOf('--only') < 0 ? '' : (process.argv[process.argv.indexOf('--only') + 1] ?? '');
const figures: { name: string; long: number; short: number }[] = [];
for (const [name, run] of work.filter(([title]) => title.includes(only))) {
  const times = { long: [] as number[], short: [] as number[] };
  for (let round = -2; round < rounds; round++) {
    for (const which of ['long', 'short'] as const) {
      const begun = process.hrtime.bigint();
      await run(services[which]);
      if (round >= 0) times[which].push(Number(process.hrtime.bigint() - begun) / 1e6);
    }
  }
  figures.push({ name, long: median(times.long), short: median(times.short) });
}
print(
  `${long} builds against ${short}: time of a request, median`,
  figures.map(({ name, long: value, short: base }) => ({
    name,
    value,
    unit: 'ms',
    ratio: ratio(value, base),
  })),
);

/** Measures the first sweep after an upgrade, and how long other commits take during it. */
async function sweep({ parts, store }: Service) {
  const waits: number[] = [];
  const worker = parts.workers.find(({ name }) => name === 'log-retention');
  if (!worker) throw new Error('unknown worker');
  let sweeping = true;
  const others = (async () => {
    while (sweeping) {
      const begun = process.hrtime.bigint();
      await store.run(`UPDATE meta SET value = value WHERE name = 'bench'`);
      waits.push(Number(process.hrtime.bigint() - begun) / 1e6);
      await pause(systemClock, 3);
    }
  })();
  const begun = process.hrtime.bigint();
  let steps = 0;
  while (steps++ < 200 && (await worker.run(new Set())) === 'again');
  sweeping = false;
  await others;
  return { steps, waits, seconds: Number(process.hrtime.bigint() - begun) / 1e9 };
}

const swept = await sweep(services.long);
print('sweep of expired logs, the first after an upgrade', [
  { name: 'steps, pauses included', value: swept.steps / swept.seconds, unit: 'per second', ratio: null },
  { name: 'another commit during it, median', value: median(swept.waits), unit: 'ms', ratio: null },
  { name: 'another commit during it, longest', value: Math.max(...swept.waits), unit: 'ms', ratio: null },
]);
const gauge = services.long.parts.platform.sweeps.gauges.find(({ name }) => name.includes('longest'));
print('times', [
  {
    name: 'longest transaction of a sweep',
    value: ((await gauge?.read())?.[''] ?? 0) * 1000,
    unit: 'ms',
    ratio: null,
  },
  {
    name: 'start',
    value: services.long.startMs,
    unit: 'ms',
    ratio: ratio(services.long.startMs, services.short.startMs),
  },
]);
await services.long.close();
await services.short.close();
