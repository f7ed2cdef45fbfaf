// When a running build will end, by the account's own history, and what follows for those that wait.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import type { Harness } from '../harness/harness.js';
import { MINUTE, submit, withMacs } from '../harness/submitting.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

type Timed = { timings: { estimated_end_at: string | null; started_at: string } } & Record<string, unknown>;

const get = async (h: Harness, path: string) => (await h.call('GET', path)).json();
const leftOf = (h: Harness, build: Timed) =>
  build.timings.estimated_end_at === null
    ? null
    : (Date.parse(build.timings.estimated_end_at) - h.clock.now()) / MINUTE;

t.test('the median of the last ten of the same project and script that ended by themselves', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const ran = async (minutes: number, body = {}, result: Parameters<typeof host.finish>[1] = {}) => {
    const { id } = await submit(h, body);
    await host.start();
    await h.clock.advance(minutes * MINUTE);
    await host.finish(id, result);
    return id;
  };
  const first = await submit(h, { script: 'make app' });
  await host.start();
  t.equal((await get(h, `/builds/${first.id}`)).timings.estimated_end_at, null, 'without history');
  t.equal((await get(h, '/queue')).estimate_basis, 'timeout_budget');
  await h.clock.advance(20 * MINUTE);
  await host.finish(first.id);

  const script = { script: 'make app' };
  await ran(1, { script: 'make other' });
  await ran(1, { script: 'make app', repo: 'other/project' });
  await ran(59, script, { outcome: 'stopped', stop_reason: 'timeout', exit_code: null });
  await ran(2, script, {
    outcome: 'failed',
    exit_code: null,
    fault: 'platform',
    reason_code: 'internal_error',
  });
  // One of half an hour, then ten that push it out of the history; the first of them is included.
  for (const minutes of [30, 4, 5, 6, 4, 5, 6, 4, 5, 6]) await ran(minutes, script, { exit_code: minutes % 2 });
  await ran(8, script);

  const running = await submit(h, script);
  const waiting = await submit(h, script);
  await host.start();
  const shown = await get(h, `/builds/${running.id}`);
  t.equal(leftOf(h, shown), 5, 'five minutes');
  t.match(waiting, { estimated_wait_s: 300, estimate_basis: 'history' }, 'known when it is submitted');
  const last = await submit(h, { script: 'make unknown', timeout_min: 30 });
  t.match(last, { estimated_wait_s: 600, estimate_basis: 'history', timings: { estimated_end_at: null } });
  const queue = await get(h, '/queue');
  t.equal(queue.estimate_basis, 'history');
  t.equal(leftOf(h, queue.running[0]), 5);
  t.same(
    queue.queued.map((build: { estimated_wait_s: number }) => build.estimated_wait_s),
    [300, 600],
  );
  const status = await get(h, '/status');
  t.equal(status.queue.estimate_basis, 'history');
  const inStatus = status.queue.running.find(({ id }: { id: string }) => id === running.id);
  t.equal(leftOf(h, inStatus), 5, 'the same wherever it is shown');
  t.equal(
    leftOf(
      h,
      (await get(h, '/builds')).builds.find(({ id }: { id: string }) => id === running.id),
    ),
    5,
  );

  await h.clock.advance(7 * MINUTE);
  t.equal(leftOf(h, await get(h, `/builds/${running.id}`)), 1, 'longer than the median: as those that took longer');
  await h.clock.advance(30 * MINUTE);
  t.equal((await get(h, `/builds/${running.id}`)).timings.estimated_end_at, null, 'longer than any of them');
  t.equal((await get(h, `/builds/${waiting.id}`)).estimated_wait_s, 23 * 60, 'then its time limit counts');
  await host.finish(running.id);
  t.equal((await get(h, `/builds/${running.id}`)).timings.estimated_end_at, null, 'it has ended');
});

t.test('uploads of one project share history; other accounts’ builds do not count', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const upload = async (project: string, content: string) => {
    const { announce, sendBlobs } = uploader(h);
    const { id } = (await announce(manifestOf({ 'a.txt': content }, project))).json();
    await sendBlobs(id, [record(content)]);
    return id as string;
  };
  const run = async (project: string, content: string) => {
    const { id } = await submit(h, { upload_id: await upload(project, content), script: 'make' });
    await host.start();
    return id;
  };
  const one = await run('shop', 'one');
  await h.clock.advance(3 * MINUTE);
  await host.finish(one);
  const two = await run('shop', 'two');
  t.equal(leftOf(h, await get(h, `/builds/${two}`)), 3, 'other files of the same project');
  await host.finish(two);
  const other = await run('other', 'two');
  t.equal((await get(h, `/builds/${other}`)).timings.estimated_end_at, null, 'another project');
  await host.finish(other);

  const ours = await submit(h, { script: 'make shared' });
  await host.start();
  await h.clock.advance(MINUTE);
  await host.finish(ours.id);
  const theirs = await startBuildHost(h, { macs: 1, accountId: h.other.id });
  const foreign = await submit(h, { script: 'make shared' }, h.other.key);
  await theirs.start();
  const seen = (await h.call('GET', `/builds/${foreign.id}`, { key: h.other.key })).json();
  t.match(seen, { status: 'running', timings: { estimated_end_at: null } });
});
