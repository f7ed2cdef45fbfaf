// The host's end of the link: builds, their logs and results, over sockets that fail as networks do.
// Runs in: soak
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { desiredMac } from '../../harness/desired-mac.js';
import { startLinkService } from '../../harness/link-service.js';
import { sha256 } from '../../harness/sha256.js';
import { until } from '../../harness/until.js';
import { world } from './link-world.js';
import { startTcpProxy } from './tcp-proxy.js';
import { createTestAgent } from './test-agent.js';

t.test('a build is started, runs, and leaves nothing on the host', async (t) => {
  const { dir, service, hostId, agent, assign } = await world(t);
  const log = randomBytes(2_500_000);
  const { builds, driver } = await agent({
    run: async (build) => {
      for (let i = 0; i < log.length; i += 100_000) await build.output(log.subarray(i, i + 100_000));
      build.finish({ exit_code: 7 });
    },
  });
  service.builds.macs = [desiredMac()];
  assign('rb_1', [{ name: 'TOKEN', value: 'correct-horse-battery' }]);
  const result = await service.builds.finishedOnce('rb_1');
  t.equal(result.exit_code, 7);
  t.ok(service.builds.log('rb_1').equals(log));
  await until(() => !builds.has('rb_1'), 'forgotten');
  t.equal(service.builds.recorded('rb_1').finishes.length, 1);
  t.same(driver.calls, ['create slot_1']);
  await until(() => service.builds.macFactsOf.get(hostId)?.[0]?.state === 'ready', 'the Mac is reported');
  for (const name of readdirSync(dir).filter((entry) => entry.endsWith('.json'))) {
    t.notMatch(readFileSync(join(dir, name), 'utf8'), /correct-horse/, name);
  }
});

t.test('a host that reconnects 50 times delivers every log byte and every result exactly once', async (t) => {
  const { service, proxy, agent, assign } = await world(t);
  const logs = new Map(['rb_1', 'rb_2', 'rb_3'].map((id) => [id, randomBytes(4_000_000)]));
  const { builds } = await agent({
    limits: { outputFrameBytes: 16 * 1024 },
    run: async (build) => {
      const log = logs.get(build.spec.build_id)!;
      for (let i = 0; i < log.length; i += 20_000) {
        await build.output(log.subarray(i, i + 20_000));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      build.finish();
    },
  });
  for (const id of logs.keys()) assign(id);
  await until(() => builds.has('rb_3'), 'all have begun');
  let flaps = 0;
  while (flaps < 50) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    proxy.cut();
    flaps++;
  }
  await Promise.all([...logs.keys()].map((id) => service.builds.finishedOnce(id)));
  for (const [id, log] of logs) {
    t.equal(sha256(service.builds.log(id)), sha256(log), id);
    await until(() => !builds.has(id), 'forgotten');
    t.equal(service.builds.recorded(id).finishes.length, 1, id);
  }
  t.same(builds.starts.toSorted(), [...logs.keys()], 'and none was started twice');
});

t.test('a half-open link is detected by both ends', async (t) => {
  const { service, proxy, hostId, agent, assign } = await world(t, { heartbeatMs: 60 });
  const { builds, daemon } = await agent();
  await until(() => daemon.linkState() === 'up', 'up');
  assign('rb_1');
  await until(() => builds.has('rb_1'), 'begun');
  proxy.silence();
  await builds.build('rb_1').output('said into the void\n');
  await until(async () => !(await service.hosts.get(hostId)).connected, 'the control plane has noticed');
  await until(() => daemon.linkState() !== 'up', 'the host has noticed');
  proxy.restore();
  builds.build('rb_1').finish();
  await service.builds.finishedOnce('rb_1');
  t.equal(service.builds.log('rb_1').toString(), 'said into the void\n');
});

t.test('a result that the control plane died before acknowledging is delivered to its successor', async (t) => {
  const database = join(t.testdir({ agent: {} }), 'service.db');
  const first = await startLinkService(t, { database });
  const { hostId, credential } = await first.enrol();
  let port = first.port;
  const proxy = await startTcpProxy(() => port);
  const { daemon, builds } = createTestAgent({
    dir: join(t.testdirName, 'agent'),
    address: { siteUrl: `http://127.0.0.1:${proxy.port}`, credential },
  });
  await daemon.start();
  first.builds.assign(hostId, { build_id: 'rb_1' });
  first.wake.wake('host', hostId);
  await until(() => builds.has('rb_1'), 'begun');
  const { finished } = first.builds;
  let died: () => void = () => {};
  const dead = new Promise<void>((resolve) => {
    died = resolve;
  });
  let bury: () => void = () => {};
  // The service stores the result and dies before it acknowledges it.
  first.builds.finished = async (...args) => {
    await finished(...args);
    died();
    return new Promise((_resolve, reject) => {
      bury = () => reject(new Error('the process is dead'));
    });
  };
  await builds.build('rb_1').output('all of it\n');
  builds.build('rb_1').finish({ exit_code: 9 });
  await dead;
  proxy.cut();
  t.ok(builds.has('rb_1'), 'kept until somebody acknowledges');

  first.builds.finished = finished;
  const second = await startLinkService(t, { database, builds: first.builds, port: 0 });
  port = second.port;
  await until(() => !builds.has('rb_1'), 'forgotten');
  t.equal(second.builds.recorded('rb_1').finishes.at(-1)?.exit_code, 9);
  await daemon.stop();
  await proxy.close();
  await second.stop();
  bury();
  await first.stop();
});

t.test('an incomplete log is sent again from the offset the control plane asks for', async (t) => {
  const { service, agent, assign } = await world(t);
  const log = randomBytes(700_000);
  const { builds } = await agent();
  assign('rb_1');
  await until(() => builds.has('rb_1'), 'begun');
  await builds.build('rb_1').output(log);
  await until(() => service.builds.recorded('rb_1').logBytes === log.length, 'stored');
  const stored = service.builds.recorded('rb_1');
  stored.log = [Buffer.concat(stored.log).subarray(0, 123_457)];
  stored.logBytes = 123_457;
  builds.build('rb_1').finish();
  await service.builds.finishedOnce('rb_1');
  t.ok(service.builds.log('rb_1').equals(log));
});

t.test('a build that floods does not delay the first line of another', async (t) => {
  const { service, agent, assign } = await world(t);
  const flood = randomBytes(1024 * 1024);
  let flooding = true;
  const { builds } = await agent({
    run: async (build) => {
      if (build.spec.build_id !== 'rb_flood') return;
      while (flooding) await build.output(flood);
      build.finish();
    },
  });
  assign('rb_flood');
  await until(() => service.builds.recorded('rb_flood').logBytes > 10_000_000, 'flooding');
  assign('rb_quiet');
  await until(() => builds.has('rb_quiet'), 'begun');
  const before = service.builds.recorded('rb_flood').logBytes;
  await builds.build('rb_quiet').output('a line\n');
  await until(() => service.builds.recorded('rb_quiet').logBytes === 7, 'the line');
  const between = service.builds.recorded('rb_flood').logBytes - before;
  t.ok(between < 64 * 1024 * 1024, `${between} bytes of the flood came before the line`);
  flooding = false;
  builds.build('rb_quiet').finish();
  await service.builds.finishedOnce('rb_quiet');
});

t.test('at most one window is in flight without acknowledgment', async (t) => {
  const { service, proxy, agent, assign } = await world(t);
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  service.builds.beforeOutput = () => gate;
  const log = randomBytes(20_000_000);
  const window = 1024 * 1024;
  const { builds } = await agent({ limits: { outputWindowBytes: window } });
  assign('rb_1');
  await until(() => builds.has('rb_1'), 'begun');
  await builds.build('rb_1').output(log);
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.ok(proxy.sent() < window + 300_000, `${proxy.sent()} bytes sent`);
  builds.build('rb_1').finish();
  open();
  await service.builds.finishedOnce('rb_1');
  t.ok(service.builds.log('rb_1').equals(log));
});

t.test('results of a cancelled, a superseded and an unknown build', async (t) => {
  const { service, hostId, agent, assign } = await world(t);
  const { builds } = await agent();
  for (const id of ['rb_cancel', 'rb_move']) assign(id);
  await until(() => builds.has('rb_cancel') && builds.has('rb_move'), 'begun');
  const [cancelled, moved] = [builds.build('rb_cancel'), builds.build('rb_move')];
  service.builds.cancel('rb_cancel');
  service.builds.forget('rb_move');
  service.wake.wake('host', hostId);
  t.equal((await service.builds.finishedOnce('rb_cancel')).stop_reason, 'cancelled_by_user');
  await until(() => !builds.has('rb_move') && !builds.has('rb_cancel'), 'both forgotten');
  t.same(cancelled.stops, ['cancelled_by_user']);
  t.same(moved.stops, ['superseded']);

  assign('rb_lost');
  service.builds.recorded('rb_lost').reported = true;
  service.wake.wake('host', hostId);
  await until(() => service.builds.recorded('rb_lost').facts.at(-1)?.state === 'absent', 'reported absent');
});

t.test('a Mac gets no second build while the first still runs there', async (t) => {
  const { service, agent, assign } = await world(t);
  const { builds } = await agent();
  builds.stubborn.add('rb_first');
  assign('rb_first', [], 'slot_1');
  await until(() => builds.has('rb_first'), 'begun');
  // The control plane has ended it without a report of the host, and assigns the next build to the Mac.
  service.builds.forget('rb_first');
  assign('rb_second', [], 'slot_1');
  assign('rb_beside', [], 'slot_2');
  await until(() => builds.has('rb_beside'), 'the desire is followed');
  await until(() => builds.build('rb_first').stops.includes('superseded'), 'what nobody wants is stopped');
  t.notOk(builds.has('rb_second'));
  builds.build('rb_first').finish({ outcome: 'stopped', stop_reason: 'superseded' });
  await until(() => builds.has('rb_second'), 'then the next begins');
});

t.test('a log that became shorter on disk ends its build as lost', async (t) => {
  const { service, agent, assign } = await world(t);
  await agent({
    async run(build) {
      await build.output('all there is\n');
      const sha256 = createHash('sha256').digest('hex');
      build.finish({ log: { bytes: 1000, sha256, omitted_bytes: 0, possibly_truncated: false } });
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  t.match(result.log, { lost: true, possibly_truncated: true });
  t.equal(service.builds.log('rb_1').toString(), 'all there is\n', 'what there was has come');
});
