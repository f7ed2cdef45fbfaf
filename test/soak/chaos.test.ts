// kill -9 of the control plane, of the daemon, and of both, at random points of many builds.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { createClient } from '../../client/index.js';
import { devFile } from '../../control-plane/dev/dev-file.js';
import { systemClock } from '../../shared/clock.js';
import { contradictionsIn } from '../harness/contradictions.js';
import { processesWith } from '../harness/processes.js';
import { asked } from '../harness/soak.js';

const BUILDS = 100 * asked;
const LINES = 60;
/** Spread over the run; without a bound a slow machine would do nothing but start processes. */
const DEATHS = 12 * asked;

const seed = Number(process.env.CIDERMILL_CHAOS_SEED ?? Date.now() % 1_000_000);
let state = seed;
const random = () => {
  state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return state / 4_294_967_296;
};

const lineOf = (build: number, line: number) =>
  `build ${build} line ${line} ${'x'.repeat((build * 7 + line * 13) % 90)}`;
const expected = (build: number) => Array.from({ length: LINES }, (_, line) => `${lineOf(build, line)}\n`).join('');
const scriptOf = (build: number) =>
  Array.from({ length: LINES }, (_, line) => `echo '${lineOf(build, line)}'${line % 20 === 19 ? '; sleep 0.15' : ''}`)
    .concat(build % 5 === 0 ? `exit ${(build % 3) + 3}` : [])
    .join('\n');
const withoutServiceLines = (log: string) => log.replace(/^\[cidermill\] .*\n/gm, '');

t.test(`${BUILDS} builds outlive the sudden deaths of both halves (seed ${seed})`, async (t) => {
  const service = await startService({ CIDERMILL_QUEUED_BUILDS: '1000', CIDERMILL_LOG_LEVEL: 'silent' }, [
    '--macs',
    '6',
    '--free',
    '0',
  ]);
  const pids = () => devFile.parse(JSON.parse(readFileSync(join(service.data, 'dev.json'), 'utf8'))).pids;
  const patient = { attempts: 1_000, baseMs: 100, maxMs: 1_000 };
  const client = createClient({ url: service.base_url, key: service.api_key, retry: patient });
  await t.rejects(
    client.uploads.create({ project: 'chaos', files: [] }),
    { code: 'empty_upload' },
    'an empty folder is refused, so that the builds need a real one',
  );
  const uploadId = await sendFolder(client);

  let over = false;
  const deaths = { control_plane: 0, host_agent: 0, both: 0 };
  const answers = () =>
    fetch(`${service.site_url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
  const reaper = (async () => {
    for (let n = 0; n < DEATHS && !over; n++) {
      // However slow the machine is: a half that has not come up yet is not killed again.
      while (!over && !(await answers())) await new Promise((resolve) => setTimeout(resolve, 50));
      await new Promise((resolve) => setTimeout(resolve, random() * 2_000));
      if (over) return;
      const victim = (['control_plane', 'host_agent', 'both'] as const)[n % 3]!;
      const { control_plane, host_agent } = pids();
      const killed = [victim !== 'host_agent' && kill(control_plane), victim !== 'control_plane' && kill(host_agent)];
      if (killed.includes(true)) deaths[victim]++;
    }
  })();
  t.teardown(async () => {
    over = true;
    await reaper;
    await service.stop();
  });

  const started = Date.now();
  const ids = await Promise.all(
    Array.from({ length: BUILDS }, (_, build) =>
      client.builds.create({ script: scriptOf(build), upload_id: uploadId }).then((created) => created.id),
    ),
  );
  t.equal(new Set(ids).size, BUILDS, 'every request made one build, however often it was repeated');
  let done = 0;
  const ended = await Promise.all(
    ids.map(async (id) => {
      const build = await client.builds.waitUntilEnded(id);
      if (++done % 50 === 0) t.comment(`${done} builds ended, ${JSON.stringify(deaths)}`);
      return build;
    }),
  );
  over = true;
  await reaper;
  t.comment(`deaths: ${JSON.stringify(deaths)} in ${Math.round((Date.now() - started) / 1000)} s`);
  t.ok(deaths.control_plane > 0 && deaths.host_agent > 0 && deaths.both > 0, 'each kind of death happened');

  const wrong: string[] = [];
  for (const [build, { id, status, exit_code, failure }] of ended.entries()) {
    const code = build % 5 === 0 ? (build % 3) + 3 : 0;
    if (exit_code !== code) wrong.push(`${id}: ${status} ${exit_code} instead of ${code}: ${JSON.stringify(failure)}`);
    const log = withoutServiceLines(await client.builds.log.text(id));
    if (log !== expected(build)) wrong.push(`${id}: a log of ${log.length} bytes instead of ${expected(build).length}`);
  }
  t.same(wrong, [], 'every build ended as its script did, with its whole log');

  const db = new Database(join(service.data, 'cidermill.db'), { readonly: true });
  const terminal = db
    .prepare(
      `SELECT subject_id, count(*) AS n FROM events
       WHERE event_type IN ('build.succeeded', 'build.failed', 'build.cancelled', 'build.expired') GROUP BY subject_id`,
    )
    .all() as { subject_id: string; n: number }[];
  const ledger = db
    .prepare(
      `SELECT SUM(contents_bytes) AS contents, SUM(artifacts_bytes) AS artifacts, SUM(logs_bytes) AS logs
         FROM account_usage`,
    )
    .get();
  const recount = db
    .prepare(
      `SELECT (SELECT SUM(size) FROM blobs) + (SELECT SUM(manifest_bytes) FROM uploads) AS contents,
           (SELECT COALESCE(SUM(bytes), 0) FROM files) AS artifacts, (SELECT SUM(log_bytes) FROM builds) AS logs`,
    )
    .get();
  const uncounted = db.prepare('SELECT COUNT(*) AS n FROM builds WHERE log_bytes IS NULL').get();
  db.close();
  t.same(ledger, recount, 'the ledger matches the rows');
  t.same(uncounted, { n: 0 }, 'every log is counted');
  t.match(ledger, { logs: bytesOfLogs(join(service.data, 'logs')) }, 'the size on disk');
  t.same(
    ids.filter((id) => terminal.find((row) => row.subject_id === id)?.n !== 1),
    [],
    'exactly one terminal event each',
  );
  t.same(await contradictionsIn({ data: service.data, clock: systemClock }), [], 'all rows fit together');
  const deadline = Date.now() + 15_000;
  const ofBuilds = ids.map((id) => `CIDERMILL_BUILD_ID=${id}`);
  let left = processesWith(...ofBuilds);
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    left = processesWith(...ofBuilds);
  }
  t.same(left, [], 'no process of a build is left');
});

function bytesOfLogs(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.log'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function kill(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false; // Dead already, not yet started again.
    throw error;
  }
}

async function sendFolder(client: ReturnType<typeof createClient>): Promise<string> {
  const { createHash } = await import('node:crypto');
  const bytes = Buffer.from('a file\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id, missing } = await client.uploads.create({
    project: 'chaos',
    files: [{ path: 'file.txt', sha256, size: bytes.length, mode: 0o644 }],
  });
  if (missing.length > 0) {
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(Buffer.concat([Buffer.from(`${sha256} ${bytes.length}\n`), bytes]));
    await client.uploads.blobs(id, () => new Uint8Array(body));
  }
  return id;
}
