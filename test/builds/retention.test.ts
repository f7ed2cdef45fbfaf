// How long logs, builds and events are kept, and the reasons for keeping them longer.
// Runs in: soak
import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { LOG_FILES } from '../../control-plane/builds/logs/log-folders.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { insertEvent } from '../../control-plane/platform/store/outbox.js';
import { type BuildHost, startBuildHost } from '../harness/build-host.js';
import { columnsOf } from '../harness/columns.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';
import { sha256 } from '../harness/sha256.js';
import { runs } from '../harness/soak.js';
import { submit } from '../harness/submitting.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Short lifetimes, because advancing the clock by a year would run all workers of that year. */
const short = { logs_kept_ms: 3 * DAY, builds_kept_ms: 8 * DAY, upload_used_ms: DAY, errors_kept_ms: DAY };

async function start(t: Test, options: HarnessOptions = {}) {
  const h = await startHarness(t, { ...options, limits: { ...short, ...options.limits } });
  const host = await startBuildHost(h, { macs: 1 });
  return { h, host };
}

/** Runs a build that prints a line and fails. */
async function ended(h: Harness, host: BuildHost): Promise<string> {
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'error: no such module\n');
  await host.finish(id, { outcome: 'exited', exit_code: 1 });
  return id;
}

/** Runs a sweep until it is complete. Returns the number of steps. */
async function sweep(h: Harness, name: string): Promise<number> {
  // The service's own run, which the clock has started, may have deleted half of a log's files.
  await h.workers.idle();
  for (let steps = 1; ; steps++) {
    if ((await h.workers.named(name).run(new Set())) !== 'again') return steps;
  }
}

const logFile = (h: Harness, id: string) => join(h.data, 'logs', id.slice(-2), `${id}.log`);
const outcome = async (h: Harness, path: string, key?: string) => {
  const answer = await h.call('GET', path, key === undefined ? {} : { key });
  return answer.statusCode === 200 ? 200 : `${answer.statusCode} ${answer.json().error.code}`;
};
const stored = async (h: Harness) =>
  (
    await h.store.get<{ bytes: number }>('SELECT logs_bytes AS bytes FROM account_usage WHERE account_id = :id', {
      id: h.org.id,
    })
  )?.bytes;
const count = async (h: Harness, table: string) =>
  (await h.store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n;

t.test('default lifetimes', async (t) => {
  t.match(defaultLimits, {
    logs_kept_ms: 90 * DAY,
    builds_kept_ms: 400 * DAY,
    records_kept_ms: 400 * DAY,
    errors_kept_ms: 30 * DAY,
    webhook_deliveries_kept_ms: 30 * DAY,
    artifact_kept_ms: 30 * DAY,
  });
});

t.test('the log of a build is deleted some days after its end, and every way of reading it reports that', async (t) => {
  const { h, host } = await start(t);
  const id = await ended(h, host);
  const forms = ['', '?tail=1', '?offset=0', '?format=text&wait=1', '?from_line=1', '?search=error'];
  await h.clock.skip(3 * DAY - HOUR);
  await sweep(h, 'log-retention');
  for (const form of forms) t.equal(await outcome(h, `/builds/${id}/log${form}`), 200, form);
  t.ok(existsSync(logFile(h, id)));
  t.equal(await stored(h), 'error: no such module\n'.length);

  await h.clock.advance(HOUR);
  await sweep(h, 'log-retention');
  for (const form of forms) {
    const answer = await h.call('GET', `/builds/${id}/log${form}`);
    t.equal(answer.statusCode, 410, form);
    t.match(answer.json().error, {
      code: 'log_deleted',
      fault: 'client',
      retryable: false,
      message: 'The log was deleted 3 days after the build ended.',
    });
  }
  t.same(await readdir(join(h.data, 'logs', id.slice(-2))), [], 'its indexes are deleted too');
  t.equal(await outcome(h, `/builds/${id}/log`, h.other.key), '404 build_not_found');
  t.equal(await stored(h), 0, 'the space is released');

  const build = (await h.call('GET', `/builds/${id}`)).json();
  t.equal(build.log_deleted_at, new Date(h.clock.now()).toISOString());
  t.match(build, { status: 'failed', failure: { summary: String } }, 'the build is kept');
  t.match((await h.call('GET', `/builds/${id}/failure`)).json(), { lines: [], tail: [] });
});

t.test('an old build that has not ended keeps its log', async (t) => {
  const { h, host } = await start(t, { limits: { logs_kept_ms: HOUR, build_timeout_min_max: 10_000 } });
  const { id } = await submit(h, { timeout_min: 9_000 });
  await host.start();
  await host.output(id, 'begun\n');
  await h.clock.advance(5 * HOUR);
  await sweep(h, 'log-retention');
  t.equal((await h.call('GET', `/builds/${id}/log`)).body, 'begun\n');
});

t.test('a build and its events are deleted some days after its end', async (t) => {
  const { h, host } = await start(t);
  const id = await ended(h, host);
  t.equal(await count(h, `events WHERE subject_kind = 'build'`), 4);
  await h.clock.skip(4 * DAY);
  const young = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${young.id}/cancel`);
  // No deliveries are sent in this test.
  await h.store.run('UPDATE events SET fanned_out = 1');
  await h.clock.skip(4 * DAY - 7 * HOUR);
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), 200);
  await h.clock.advance(7 * HOUR);
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), '404 build_not_found');
  t.equal(await outcome(h, `/builds/${id}/log`), '404 build_not_found');
  t.same(
    (await h.call('GET', '/builds')).json().builds.map((build: { id: string }) => build.id),
    [young.id],
  );
  t.same(await h.store.all("SELECT DISTINCT subject_id FROM events WHERE subject_kind = 'build'"), [
    { subject_id: young.id },
  ]);
  const { body } = await h.server.inject('/metrics');
  t.match(body, 'cidermill_retention_rows_total{what="builds"} 1');
  t.match(body, 'cidermill_retention_rows_total{what="logs"} 1');
  t.match(body, 'cidermill_retention_unfinished{what="builds"} 0');
});

t.test('a build is deleted with its log if logs are kept longer than builds', async (t) => {
  const { h, host } = await start(t, { limits: { logs_kept_ms: 900 * DAY } });
  const id = await ended(h, host);
  await h.store.run('UPDATE events SET fanned_out = 1');
  await h.clock.skip(8 * DAY);
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), '404 build_not_found');
  t.notOk(existsSync(logFile(h, id)));
});

t.test('an operator can set the lifetimes of an account', async (t) => {
  const { h, host } = await start(t);
  const id = await ended(h, host);
  const orderEvent = (accountId: number, fannedOut: boolean, n: number) =>
    h.store.transaction((tx) =>
      insertEvent(tx, {
        eventId: `evt_${accountId}_${n}`,
        accountId,
        subjectKind: 'order',
        subjectId: `RT-${accountId}-${n}`,
        eventType: 'order.paid',
        sequence: 1,
        occurredAt: h.clock.now(),
        payload: '{}',
        fannedOut,
      }),
    );
  await h.store.run('UPDATE events SET fanned_out = 1');
  for (const accountId of [h.org.id, h.other.id]) for (const n of [1, 2]) await orderEvent(accountId, true, n);
  const [own] = (await h.organizations.list()).filter((one) => one.id === h.org.id);
  if (!own) throw new Error('no such organization');
  await h.organizations.setLimits(own, { logs_kept_ms: 2 * DAY, builds_kept_ms: 4 * DAY }, false);
  await h.clock.skip(2 * DAY);
  await sweep(h, 'log-retention');
  t.equal(await outcome(h, `/builds/${id}/log`), '410 log_deleted');
  await h.clock.skip(2 * DAY);
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), '404 build_not_found');
  const orders = () => h.store.all("SELECT account_id AS id FROM events WHERE subject_kind = 'order'");
  t.same(await orders(), [{ id: h.other.id }, { id: h.other.id }], 'the events of orders, too');
  await h.clock.skip(4 * DAY);
  await orderEvent(h.other.id, true, 3);
  await sweep(h, 'build-retention');
  t.same(await orders(), [{ id: h.other.id }], 'others have the default');
});

t.test('a build with artifacts or a stored idempotent response is kept', async (t) => {
  const { h, host } = await start(t, {
    limits: { builds_kept_ms: HOUR, artifact_kept_ms: 6 * DAY, upload_used_ms: HOUR },
  });
  const body = { script: 'make', repo: 'owner/name' };
  const post = () => h.call('POST', '/builds', { body, headers: { 'idempotency-key': 'once' } });
  const { id } = (await post()).json();
  await h.workers.idle();
  await host.start();
  await host.output(id, 'x\n');
  await h.artifacts.store(
    { buildId: id, attempt: 1, name: 'app.zip', bytes: 3, sha256: sha256('zip') },
    Readable.from([Buffer.from('zip')]),
  );
  await host.finish(id);
  await h.store.run('UPDATE events SET fanned_out = 1');
  await h.clock.advance(24 * HOUR - 1);
  await sweep(h, 'build-retention');
  t.equal((await post()).headers['idempotent-replayed'], 'true');
  t.equal(await outcome(h, `/builds/${id}`), 200, 'a replay could return it');
  await h.clock.skip(5 * DAY);
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), 200, 'it has an artifact');
  await h.clock.skip(DAY);
  await h.workers.named('artifact-retention').run(new Set());
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${id}`), '404 build_not_found');
});

t.test('the event and the build of a listed or pending delivery are kept', async (t) => {
  const h = await startHarness(t, {
    receivers: true,
    limits: { builds_kept_ms: DAY, upload_used_ms: DAY, webhook_deliveries_kept_ms: 3 * DAY },
  });
  const receiver = await startReceiver(t);
  const webhook = await h.call('POST', '/webhooks', {
    body: { url: `${receiver.url}/hook`, events: ['build.cancelled'] },
  });
  t.equal(webhook.statusCode, 201);
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await h.workers.idle();
  await h.clock.skip(2 * DAY);
  await sweep(h, 'build-retention');
  const path = `/webhooks/${webhook.json().id}/deliveries`;
  const [delivery] = (await h.call('GET', path)).json().deliveries;
  t.match(JSON.parse(delivery.request.body), { build: { id: build.id } }, 'the delivery can be sent again');
  t.equal(await outcome(h, `/builds/${build.id}`), 200);
  await h.clock.skip(DAY + 1);
  await sweep(h, 'deliveries-purge');
  await sweep(h, 'build-retention');
  t.equal(await outcome(h, `/builds/${build.id}`), '404 build_not_found');
  t.equal(await count(h, `events WHERE subject_kind = 'build'`), 0);
});

t.test('a long history is deleted in small steps, and builds that must be kept are skipped', async (t) => {
  const { h, host } = await start(t);
  const id = await ended(h, host);
  await h.store.run('UPDATE events SET fanned_out = 1');
  // The first 100 copies have an event that is not yet fanned out.
  const copies = runs(1_000, 3_000);
  await h.store.transaction(async (tx) => {
    const columns = (await columnsOf(tx, 'builds'))
      .map((name) => `"${name}"`)
      .filter((name) => name !== '"seq"' && name !== '"build_id"');
    for (let n = 0; n < copies; n++) {
      await tx.run(
        `INSERT INTO builds (build_id, ${columns}) SELECT :copy, ${columns} FROM builds WHERE build_id = :id`,
        { id, copy: `rb_copy${n}` },
      );
      await tx.run(
        `INSERT INTO events (event_id, account_id, subject_kind, subject_id, event_type, sequence, occurred_at, payload, fanned_out)
         VALUES (:event, :account, 'build', :copy, 'build.queued', 1, 0, '{}', :done)`,
        { event: `evt_${n}`, account: h.org.id, copy: `rb_copy${n}`, done: n < 100 ? 0 : 1 },
      );
    }
  });
  await h.clock.skip(3 * DAY);
  t.ok((await sweep(h, 'log-retention')) >= 1);
  t.equal(await outcome(h, `/builds/rb_copy${copies - 1}/log`), '410 log_deleted');
  await h.clock.skip(5 * DAY);
  await sweep(h, 'build-retention');
  t.equal(await count(h, 'builds'), 100);
  t.equal(await count(h, `events WHERE subject_kind = 'build'`), 100);
  await h.store.run('UPDATE events SET fanned_out = 1');
  await sweep(h, 'build-retention');
  t.equal(await count(h, 'builds'), 0);
  t.equal(await count(h, `events WHERE subject_kind = 'build'`), 0);
});

t.test('orphaned files of a killed process are deleted; recent files and those of builds are kept', async (t) => {
  const { h, host } = await start(t);
  const gone = await ended(h, host);
  const kept = await ended(h, host);
  const young = await ended(h, host);
  // The process was killed right after the commit.
  await h.store.run('UPDATE builds SET log_deleted_at = 1 WHERE build_id = :gone', { gone });
  await h.store.run('DELETE FROM events WHERE subject_id = :young', { young });
  await h.store.run('DELETE FROM builds WHERE build_id = :young', { young });
  const long = new Date(Date.now() - 2 * DAY);
  const age = async (id: string) => {
    for (const kind of LOG_FILES) {
      const file = logFile(h, id).replace(/log$/, kind);
      if (existsSync(file)) await utimes(file, long, long);
    }
  };
  await age(gone);
  await age(kept);
  await h.workers.named('orphan-sweep').run(new Set());
  t.notOk(existsSync(logFile(h, gone)));
  t.ok(existsSync(logFile(h, kept)));
  t.ok(existsSync(logFile(h, young)), 'it may belong to a database that is being restored');
  await age(young);
  await h.workers.named('orphan-sweep').run(new Set());
  t.notOk(existsSync(logFile(h, young)));
});

t.test('API errors are deleted after their lifetime', async (t) => {
  const { h } = await start(t);
  await h.call('GET', '/builds/rb_none');
  const errors = async () => (await h.call('GET', '/errors')).json().errors.length;
  t.equal(await errors(), 1);
  await h.clock.skip(DAY - HOUR);
  await sweep(h, 'errors-purge');
  t.equal(await errors(), 1);
  await h.clock.advance(HOUR);
  await sweep(h, 'errors-purge');
  t.equal(await errors(), 0);
});

t.test('records of completed operations are deleted after their lifetime', async (t) => {
  const { h, host } = await start(t, { limits: { records_kept_ms: 2 * DAY, max_rental_days: 30 } });
  const [rental = ''] = host.rentals;
  const jobOf = async () => {
    const reset = await h.call('POST', `/rentals/${rental}/reset`, { body: { keep_cache: true } });
    await h.store.run(`UPDATE jobs SET status = 'done', ended_at = :now WHERE status <> 'done'`, {
      now: h.clock.now(),
    });
    await h.store.run(`UPDATE macs SET state = 'ready' WHERE rental_id = :rental`, { rental });
    return reset.json().job_id as string;
  };
  const first = await jobOf();
  await h.clock.advance(HOUR);
  const last = await jobOf();
  await h.hosts.createEnrolment({ slots: 1 });
  await h.call('POST', '/waitlist', { body: { tier: 'm4', units: 5 } });
  const [entry] = (await h.call('GET', '/waitlist')).json().entries;
  if (entry) await h.call('DELETE', `/waitlist/${entry.id}`);
  t.equal(await count(h, 'enrolment_tokens'), 2);
  t.equal(await count(h, 'waitlist'), 1);
  await h.clock.skip(3 * DAY);
  for (const what of ['jobs', 'enrolments', 'waitlist', 'notices', 'mails']) await sweep(h, `${what}-purge`);
  t.equal(await count(h, 'enrolment_tokens'), 0);
  t.equal(await count(h, 'waitlist'), 0);
  t.equal(await outcome(h, `/jobs/${first}`), '404 job_not_found');
  t.equal(await outcome(h, `/jobs/${last}`), 200, 'it is the last operation of the Mac');
});
