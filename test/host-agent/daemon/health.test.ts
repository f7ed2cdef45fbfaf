// The health of a host: checked by its daemon, carried over the link, stored by the service.
import t from 'tap';
import { watchHealth } from '../../../host-agent/daemon/health-watch.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { HealthFinding } from '../../../shared/protocol/index.js';
import { gate } from '../../harness/gate.js';
import { startLinkService } from '../../harness/link-service.js';
import { until } from '../../harness/until.js';
import { createTestAgent, memoryDriver } from './test-agent.js';

const finding = (status: HealthFinding['status']): HealthFinding => ({
  check: 'sleep',
  status,
  found: 'x',
  fix: status === 'ok' ? null : 'sudo pmset -a sleep 0',
});
const log = createLog('test', 'silent');
const limits = () => ({ healthMs: 900_000, healthPauseMs: 30_000 });

t.test('checks run on startup, periodically, and after changes, with a pause in between', async (t) => {
  const clock = createAdvancingClock({ start: 1_000_000 });
  const looks: number[] = [];
  const told: HealthFinding[][] = [];
  let found = [finding('ok')];
  let during = () => {};
  const watch = watchHealth({
    async look() {
      looks.push(clock.now() - 1_000_000);
      during();
      return found;
    },
    checked: ({ findings }) => told.push(findings),
    limits,
    clock,
    log,
  });
  watch.changed();
  await clock.advance(1_000_000);
  t.same(looks, [], 'not before the daemon has started');
  t.equal(watch.current(), null);
  const began = clock.now() - 1_000_000;
  const times = () => looks.map((at) => at - began);
  watch.start();
  await clock.advance(0);
  t.same(times(), [0]);
  t.same(watch.current(), { checked_at: clock.now(), findings: found });
  await clock.advance(900_000);
  t.same(times(), [0, 900_000]);
  found = [finding('failed')];
  for (let n = 0; n < 5; n++) {
    watch.changed();
    await clock.advance(1_000);
  }
  t.equal(looks.length, 2);
  await clock.advance(25_000);
  t.same(times().slice(2), [930_000], 'one round for many changes');
  t.same(watch.current()?.findings, found);
  // A change during the checks themselves is seen by the next round.
  during = () => watch.changed();
  await clock.advance(900_000);
  during = () => {};
  await clock.advance(30_000);
  t.same(times().slice(3), [1_830_000, 1_860_000]);
  t.equal(told.length, 5, 'every round is told');
  // A repair is looked at without a pause, also one during the checks, and whatever else changes then.
  watch.again();
  watch.changed();
  await clock.advance(0);
  t.same(times().slice(5), [1_860_000]);
  during = () => {
    watch.again();
    during = () => {};
  };
  await clock.advance(900_000);
  t.same(times().slice(6), [2_760_000, 2_760_000]);
  found = Array(100).fill(finding('warning'));
  await clock.advance(900_000);
  t.equal(watch.current()?.findings.length, 60, 'as many as a message may have');
  watch.close();
  watch.changed();
  await clock.advance(2_000_000);
  t.equal(looks.length, 9);
});

t.test('checks end with the daemon', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const told: unknown[] = [];
  const ended = new Promise<void>((resolve) => {
    const watch = watchHealth({
      look: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('ended'));
            resolve();
          });
          watch.close();
        }),
      checked: (health) => told.push(health),
      limits,
      clock,
      log,
    });
    watch.start();
  });
  await clock.advance(1);
  await ended;
  await clock.advance(1_000_000);
  t.same(told, []);
});

t.test('checks that cannot be made are tried again', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  let works = false;
  const watch = watchHealth({
    look: () => (works ? Promise.resolve([finding('ok')]) : Promise.reject(new Error('no processes left'))),
    checked: () => {},
    limits,
    clock,
    log,
  });
  watch.start();
  await clock.advance(1);
  t.equal(watch.current(), null);
  works = true;
  await clock.advance(900_000);
  t.match(watch.current(), { findings: [{ status: 'ok' }] });
  watch.close();
});

t.test('the service stores what the doctor of a connected host found', async (t) => {
  const service = await startLinkService(t, { heartbeatMs: 200 });
  const { hostId, credential } = await service.enrol();
  let found = [finding('warning'), { ...finding('ok'), check: 'disk' }];
  const driver = memoryDriver();
  const agent = createTestAgent({
    dir: t.testdir(),
    driver,
    lookAtHealth: async () => found,
    daemonLimits: { healthMs: 50, healthPauseMs: 1 },
    address: { siteUrl: service.siteUrl, credential },
  });
  t.teardown(async () => {
    await agent.daemon.stop();
    await service.stop();
  });
  await agent.daemon.start();
  const stored = () => service.hosts.get(hostId).then(({ health }) => health);
  await until(async () => (await stored()) !== null, 'the first findings');
  t.same((await stored())?.findings, found);
  found = [finding('failed')];
  await until(async () => (await stored())?.findings.length === 1, 'the next ones');
  t.same((await stored())?.findings, found);
});

t.test('findings that come while hello is in flight are sent when it has been accepted', async (t) => {
  const service = await startLinkService(t, { heartbeatMs: 200 });
  const { hostId, credential } = await service.enrol();
  const { open: checked, opened: looked } = gate();
  const { connect } = service.hosts;
  let helloHadHealth: boolean | null = null;
  Object.assign(service.hosts, {
    async connect(...[id, state]: Parameters<typeof connect>) {
      helloHadHealth = state.health !== undefined;
      checked();
      await new Promise(setImmediate);
      return connect(id, state);
    },
  });
  const agent = createTestAgent({
    dir: t.testdir(),
    lookAtHealth: () => looked.then(() => [finding('failed')]),
    address: { siteUrl: service.siteUrl, credential },
  });
  t.teardown(async () => {
    await agent.daemon.stop();
    await service.stop();
  });
  await agent.daemon.start();
  await until(async () => (await service.hosts.get(hostId)).health !== null, 'the findings');
  t.match((await service.hosts.get(hostId)).health, { findings: [{ status: 'failed' }] });
  t.equal(helloHadHealth, false);
});
