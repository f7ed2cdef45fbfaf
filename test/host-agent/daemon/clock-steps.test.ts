// The clock of a host is corrected by an hour, in both directions, while builds run.
// Runs in: soak
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openBuildsFolder } from '../../../host-agent/daemon/builds-folder.js';
import { ifUnlocked, withLock } from '../../../host-agent/system/lock.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { steppingClock } from '../../harness/stepping-clock.js';
import { until } from '../../harness/until.js';
import { openRig } from '../runner/rig.js';
import { world } from './link-world.js';

const HOUR = 3_600_000;

t.test('the agent notices each step, keeps its link, and its builds end by themselves', async (t) => {
  // Each step takes a second until it is noticed, so that both ends ping; an answer may take as long as two.
  const { service, hostId, agent, assign } = await world(t, { heartbeatMs: 2_000 });
  const clock = steppingClock();
  const lines: string[] = [];
  const { builds } = await agent({ clock, logged: (line) => lines.push(line) });
  assign('rb_1');
  await until(() => builds.has('rb_1'), 'the build runs');
  const steps = () => lines.flatMap((line) => /"step_ms":(-?\d+)/.exec(line)?.[1] ?? []).map(Number);
  for (const step of [HOUR, -HOUR, -HOUR, HOUR]) {
    const before = steps().length;
    clock.step(step);
    await until(() => steps().length > before, 'the step is logged');
    t.ok(Math.abs((steps().at(-1) ?? 0) - step) < 1_000);
    t.ok(service.link.connectedHosts().includes(hostId));
    t.ok(builds.has('rb_1'));
  }
  builds.build('rb_1').finish({ exit_code: 4 });
  t.equal((await service.builds.finishedOnce('rb_1')).exit_code, 4);
  t.equal(lines.filter((line) => line.includes('"link is up"')).length, 1, 'one connection, from start to end');
});

t.test("a build's time limit and the times that it reports do not see a step", async (t) => {
  const rig = await openRig(t);
  for (const step of [HOUR, -HOUR]) {
    const clock = steppingClock();
    const spec = { timeout_ms: 60_000, silence_ms: 30_000 };
    const { result } = await rig.run('echo begun; sleep 0.3; echo done', {
      clock,
      spec,
      whenLaid: () => clock.step(step),
      whileCollecting: () => clock.step(step),
    });
    t.match(result, { exit_code: 0, reason_code: null });
    const { steps = [], script_started_at, ended_at } = result;
    const times = [...steps.map(({ at }) => at), ended_at];
    t.same(times, [...times].sort(), 'in order');
    t.ok(ended_at - (script_started_at ?? 0) < 60_000);
    t.ok(ended_at - (script_started_at ?? 0) >= 300);
  }
});

t.test('a live holder of a lock does not lose it to a step, one whose process has ended does', async (t) => {
  const lock = join(t.testdir(), 'lock');
  const clock = createAdvancingClock({ start: Date.now() });
  const options = { clock, signal: new AbortController().signal };
  const other = () => ifUnlocked(lock, async () => 'taken');
  await withLock(lock, options, async () => {
    for (let i = 0; i < 10; i++) {
      clock.step(HOUR);
      t.equal(await other(), undefined);
      await clock.advance(HOUR);
      t.equal(await other(), undefined);
    }
  });
  const before = JSON.stringify({ pid: process.pid, born: 'before this process', nonce: 'a1' });
  writeFileSync(lock, before);
  t.equal(await other(), 'taken', 'its process id belongs to another process now');
  t.same(readdirSync(join(lock, '..')), []);
});

t.test('an unfinished folder of a build from before the clock was set back holds up no start', async (t) => {
  const clock = createAdvancingClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  const builds = openBuildsFolder(t.testdir(), { clock, unfinishedMs: 5_000 });
  // The process id belongs to another process now: this one.
  const unfinished = join(builds.folder, `.new-rb_1-1.${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const later = (clock.now() + HOUR) / 1000;
  utimesSync(unfinished, later, later);
  let found: unknown = null;
  const looking = builds.attempts().then((attempts) => {
    found = attempts;
  });
  const passes = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) {
      await clock.advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await passes(4_000);
  t.ok(existsSync(unfinished), 'its process may still be about to finish it');
  const begun = clock.monotonic();
  while (found === null && clock.monotonic() < begun + 60_000) await passes(20);
  t.same(found, []);
  t.notOk(existsSync(unfinished));
  await looking;
});
