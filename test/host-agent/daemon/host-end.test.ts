// The host's end of the link against the real control-plane end, over sockets that fail as networks do.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { readArtifactRecords } from '../../../control-plane/platform/blobs/artifact-records.js';
import { ApiError } from '../../../control-plane/platform/domain/error-catalog.js';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { parseConfig } from '../../../host-agent/daemon/config.js';
import { NotInstalledError } from '../../../host-agent/driver/driver.js';
import type { LinkLimits } from '../../../host-agent/limits.js';
import { CLOSE, type DesiredMac, type MacFact } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { type LinkServiceOptions, startLinkService } from '../../harness/link-service.js';
import { until } from '../../harness/until.js';
import type { SpooledBuild, SpooledBuilds } from './spooled-builds.js';
import { startTcpProxy } from './tcp-proxy.js';
import { createTestAgent, type MemoryDriver, quickLimits } from './test-agent.js';

interface AgentOptions {
  run?: (build: SpooledBuild) => void | Promise<void>;
  limits?: Partial<LinkLimits>;
  builds?: SpooledBuilds;
  driver?: MemoryDriver;
  slots?: number;
}

async function world(t: Test, options: LinkServiceOptions = {}) {
  const dir = t.testdir();
  const service = await startLinkService({ heartbeatMs: 200, ...options });
  const proxy = await startTcpProxy(() => service.port);
  t.teardown(async () => {
    await proxy.close();
    await service.stop();
  });
  const { hostId, credential } = await service.enrol();
  const address = { siteUrl: `http://127.0.0.1:${proxy.port}`, credential };
  const agent = async (more: AgentOptions = {}) => {
    const made = createTestAgent({ dir, address, ...more });
    await made.daemon.start();
    t.teardown(() => made.daemon.stop());
    return made;
  };
  // Each in a separate Mac, the first in slot_1.
  const slots = new Map<string, string>();
  const assign = (build_id: string, secrets?: { name: string; value: string }[], slot?: string) => {
    const slot_id = slot ?? slots.get(build_id) ?? `slot_${slots.size + 1}`;
    slots.set(build_id, slot_id);
    service.builds.assign(hostId, { build_id, slot_id }, secrets);
    service.wake.wake('host', hostId);
  };
  return { dir, service, proxy, hostId, address, agent, assign };
}

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

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

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

t.test(
  'a result that the control plane died before acknowledging is delivered to its successor',
  async (t) => {
    const database = join(t.testdir({ agent: {} }), 'service.db');
    const first = await startLinkService({ database });
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
    // The result is stored, and the service dies before it can acknowledge it.
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
    const second = await startLinkService({ database, builds: first.builds, port: 0 });
    port = second.port;
    await until(() => !builds.has('rb_1'), 'forgotten');
    t.equal(second.builds.recorded('rb_1').finishes.at(-1)?.exit_code, 9);
    await daemon.stop();
    await proxy.close();
    await second.stop();
    bury();
    await first.stop();
  },
);

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

t.test('after a restart of the daemon, builds go on and an acknowledged stop is carried out', async (t) => {
  const { dir, service, proxy, hostId, address, agent, assign } = await world(t);
  const first = createTestAgent({ dir, address });
  await first.daemon.start();
  for (const id of ['rb_on', 'rb_stop']) assign(id);
  await until(() => first.builds.has('rb_on') && first.builds.has('rb_stop'), 'begun');
  // The daemon dies after writing the stop to the journal, before acting on it.
  const stopped = first.builds.build('rb_stop');
  const { open } = first.builds;
  first.builds.open({ onFact() {}, onOutput() {}, onFinished() {} });
  const broken = createTestAgent({
    dir,
    address,
    builds: {
      ...first.builds,
      open: (events) => ({
        ...open(events),
        stop() {
          throw new Error('no time left');
        },
      }),
    },
  });
  await first.daemon.stop();
  await broken.daemon.start();
  service.builds.cancel('rb_stop');
  await until(() => broken.daemon.linkState() === 'up', 'up');
  service.wake.wake('host', hostId);
  await until(() => /rb_stop/.test(readFileSync(join(dir, 'desire.json'), 'utf8')), 'journaled');
  await broken.daemon.stop();
  t.same(stopped.stops, []);

  proxy.silence();
  const { builds } = await agent({ builds: { ...first.builds, open } });
  await until(() => stopped.stops.length === 1, 'stopped without the control plane');
  t.same(stopped.stops, ['cancelled_by_user']);
  t.same(builds.build('rb_on').stops, [], 'before the control plane has spoken nothing else is touched');
  proxy.restore();
  proxy.cut();
  builds.build('rb_on').finish();
  await service.builds.finishedOnce('rb_on');
  await service.builds.finishedOnce('rb_stop');
});

t.test("a build that the host cannot start is retried, then fails as the platform's fault", async (t) => {
  const { service, agent, assign } = await world(t);
  const { builds } = await agent({ run: (build) => build.finish() });
  await until(() => service.link.connectedHosts().length === 1, 'connected');
  builds.failStarts(new Error('not now'), 2);
  assign('rb_later');
  t.equal((await service.builds.finishedOnce('rb_later')).outcome, 'exited');
  builds.failStarts(new BuildStepError('prepare', 'host_disk_full', 'platform', 'The disk is full.'), 99);
  assign('rb_never');
  t.match(await service.builds.finishedOnce('rb_never'), {
    outcome: 'failed',
    reason_code: 'host_disk_full',
    fault: 'platform',
  });
});

t.test('Macs are created, reset and removed, but never under a running build', async (t) => {
  const { service, hostId, agent, assign } = await world(t);
  const { builds, driver } = await agent({ slots: 2 });
  const mac = (slot: number, generation = 1) => ({
    ...desiredMac(),
    slot_id: `slot_${slot}`,
    rental_id: `rt_${slot}`,
    generation,
  });
  const want = (macs: DesiredMac[]) => {
    service.builds.macs = macs;
    service.wake.wake('host', hostId);
  };
  const reported = new Map<string, string>();
  const { macFacts } = service.builds;
  service.builds.macFacts = async (host, facts) => {
    for (const fact of facts) reported.set(fact.slot_id, `${fact.state} ${fact.error ?? ''}`.trim());
    return macFacts(host, facts);
  };
  want([mac(1), mac(2), mac(3)]);
  await until(
    () => reported.get('slot_1') === 'ready' && reported.get('slot_2') === 'ready',
    'two are ready',
  );
  t.match(reported.get('slot_3'), /failed.*configured for 2 Macs/);

  assign('rb_1');
  await until(() => builds.has('rb_1'), 'a build runs in slot_1');
  want([mac(1, 2)]);
  await until(() => reported.get('slot_2') === 'empty', 'slot_2 has been emptied');
  t.equal(driver.slots.get('slot_1')?.generation, 1, 'the running build keeps its Mac');
  builds.build('rb_1').finish();
  await until(() => driver.slots.get('slot_1')?.generation === 2, 'made anew');

  // Until it has been reported: a temporary failure may be over before it is.
  let failing = true;
  driver.before = () => {
    if (failing) throw new Error('image not found');
  };
  want([mac(1, 2), mac(2, 5)]);
  await until(() => reported.get('slot_2') === 'failed image not found', 'the failure is reported');
  failing = false;
  await until(() => reported.get('slot_2') === 'ready', 'and the retry succeeds');
  await until(() => driver.slots.get('slot_2')?.generation === 5, 'made');
});

t.test('progress and refusal of a change are reported, across outages', async (t) => {
  const { service, proxy, hostId, agent } = await world(t);
  const { driver } = await agent();
  const mac = desiredMac({ xcode: '26.0' });
  const want = (given: Partial<DesiredMac>) => {
    service.builds.macs = [{ ...mac, ...given }];
    service.wake.wake('host', hostId);
  };
  const reported: MacFact[] = [];
  const { macFacts } = service.builds;
  service.builds.macFacts = async (host, facts) => {
    reported.push(...facts);
    return macFacts(host, facts);
  };
  const last = () => reported.at(-1);
  want({});
  await until(() => last()?.state === 'ready', 'ready');

  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  driver.before = (call) => (call === 'emptyWork slot_1' ? gate : undefined);
  want({ revision: 2, empty_work: true });
  await until(() => last()?.progress?.step === 'empty_work', 'in progress');
  t.match(last(), { state: 'preparing', revision: 2, progress: { percent: 0 } });
  // The network is down until it is done.
  proxy.silence();
  proxy.cut();
  await until(() => service.link.connectedHosts().length === 0, 'cut');
  open();
  await until(() => driver.slots.get('slot_1')?.revision === 2, 'done');
  proxy.restore();
  proxy.cut();
  await until(() => last()?.state === 'ready' && last()?.revision === 2, 'done and reported');

  driver.before = () => {
    throw new NotInstalledError('Xcode 27.0 is not here');
  };
  want({ revision: 3, xcode: '27.0' });
  await until(() => last()?.refused?.revision === 3, 'refused');
  t.match(last(), {
    ...{ state: 'ready', revision: 2, xcode: '26.0' },
    refused: { code: 'not_installed', message: 'Xcode 27.0 is not here' },
  });
});

t.test('artifacts arrive before the result, across outages, and failures become warnings', async (t) => {
  const stored = new Map<string, Buffer>();
  let trouble = 2;
  const files: LinkServiceOptions['files'] = {
    assignment: async () => ({ accountId: 1, uploadId: null }),
    async storeArtifact(artifact, stream) {
      if (artifact.name === 'refused.bin') throw new ApiError('payload_too_large');
      if (trouble-- > 0) throw new Error('storage is away');
      const data = await buffer(stream);
      if (sha256(data) !== artifact.sha256) throw new ApiError('invalid_artifact');
      stored.set(artifact.name, data);
    },
    storeArtifacts: async (_ref, body) => storeRecords(body, stored),
  };
  const { service, proxy, agent, assign } = await world(t, { files });
  const contents = new Map([
    ['out/app.zip', randomBytes(9_000_000)],
    ['empty', Buffer.alloc(0)],
    ['ümlaut & co.txt', Buffer.from('x')],
    ['refused.bin', randomBytes(3_000_000)],
  ]);
  await agent({
    run: async (build) => {
      for (const [name, data] of contents) await build.artifact(name, data);
      proxy.cut();
      build.finish();
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  contents.delete('refused.bin');
  for (const [name, data] of contents) t.ok(stored.get(name)?.equals(data), name);
  t.same(result.warnings, ['The artifact refused.bin could not be stored: payload_too_large.']);
});

/** Stores a batch of artifacts as the control plane does, except names that begin with `refused`. */
async function storeRecords(body: AsyncIterable<Buffer>, stored: Map<string, Buffer>) {
  const refused: { name: string; code: string }[] = [];
  for await (const { name, sha256: hash, body: content } of readArtifactRecords(body)) {
    const data = await buffer(Readable.from(content));
    const bad = name.startsWith('refused') || sha256(data) !== hash;
    if (bad) refused.push({ name, code: 'payload_too_large' });
    else stored.set(name, data);
  }
  return refused;
}

t.test('small artifacts are sent in batches, and many failures become few warnings', async (t) => {
  const stored = new Map<string, Buffer>();
  let requests = 0;
  const files: LinkServiceOptions['files'] = {
    assignment: async () => ({ accountId: 1, uploadId: null }),
    async storeArtifact(artifact, stream) {
      stored.set(artifact.name, await buffer(stream));
    },
    storeArtifacts(_ref, body) {
      requests++;
      return storeRecords(body, stored);
    },
  };
  const { service, agent, assign } = await world(t, { files });
  await agent({
    run: async (build) => {
      for (let i = 0; i < 1100; i++) await build.artifact(`f${i}`, Buffer.from(`content ${i}`));
      for (let i = 0; i < 50; i++) await build.artifact(`refused ${i}`, Buffer.from('x'));
      build.finish();
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  t.equal(stored.size, 1100);
  t.equal(requests, 3, '512 in a request');
  t.equal(result.warnings.length, 21);
  t.equal(result.warnings.at(-1), '30 more artifacts could not be stored.');
  t.match(result, { outcome: 'exited', exit_code: 0 });
});

t.test(
  'a service that cannot store artifacts holds a build for a bounded time, and its warnings say why',
  async (t) => {
    let requests = 0;
    const full = async () => {
      requests++;
      throw new ApiError('uploads_unavailable', { retryAfterS: 1 });
    };
    const files: LinkServiceOptions['files'] = {
      assignment: async () => ({ accountId: 1, uploadId: null }),
      storeArtifact: full,
      storeArtifacts: full,
    };
    const { service, agent, assign } = await world(t, { files });
    await agent({
      limits: { artifactRefusedMs: 100 },
      run: async (build) => {
        for (const name of ['a', 'b']) await build.artifact(name, Buffer.from(name));
        for (const name of ['large', 'larger']) await build.artifact(name, randomBytes(3_000_000));
        build.finish();
      },
    });
    assign('rb_1');
    const result = await service.builds.finishedOnce('rb_1');
    t.match(result, { outcome: 'exited', exit_code: 0 });
    t.same(
      result.warnings,
      ['a', 'b', 'large', 'larger'].map(
        (name) =>
          `The artifact ${name} could not be stored: uploads_unavailable, the service has refused for 0.1 s.`,
      ),
    );
    t.ok(requests >= 4 && requests <= 6, `each batch is tried, the first one again: ${requests}`);
  },
);

t.test('a stop while artifacts are sent ends the build and keeps what was sent', async (t) => {
  for (const reason of ['cancelled_by_user', 'timeout'] as const) {
    const stored = new Map<string, Buffer>();
    let reached = () => {};
    const sending = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const files: LinkServiceOptions['files'] = {
      assignment: async () => ({ accountId: 1, uploadId: null }),
      storeArtifact: () => new Promise(() => reached()),
      storeArtifacts: async (_ref, body) => storeRecords(body, stored),
    };
    const { service, hostId, agent, assign } = await world(t, { files });
    await agent({
      limits: { stoppedArtifactsMs: 10 },
      run: async (build) => {
        for (const name of ['a', 'b']) await build.artifact(name, Buffer.from(name));
        // Never resolves.
        await build.artifact('large', randomBytes(3_000_000));
        await build.artifact('later', Buffer.from('x'));
        build.finish({ exit_code: 3 });
      },
    });
    assign('rb_1');
    await sending;
    service.builds.recorded('rb_1').stop = reason;
    service.wake.wake('host', hostId);
    const result = await service.builds.finishedOnce('rb_1');
    t.match(result, { outcome: 'stopped', stop_reason: reason, exit_code: 3, step: 'artifacts' });
    t.same([...stored.keys()], ['a', 'b'], 'what was sent stays');
    t.same(result.warnings, ['2 of 4 artifacts were not sent: the build was stopped.']);
  }
});

t.test('a stop is carried out even if the journal cannot be written', async (t) => {
  const { dir, service, hostId, agent, assign } = await world(t);
  // A folder in place of the temporary file makes the write fail, like a full disk.
  mkdirSync(join(dir, 'desire.json.new'));
  const { builds } = await agent();
  for (const id of ['rb_1', 'rb_2']) assign(id);
  await until(() => builds.has('rb_1') && builds.has('rb_2'), 'begun');
  for (const id of ['rb_1', 'rb_2']) {
    service.builds.cancel(id);
    service.wake.wake('host', hostId);
    t.equal((await service.builds.finishedOnce(id)).stop_reason, 'cancelled_by_user');
  }
  service.builds.macs = [desiredMac()];
  service.wake.wake('host', hostId);
  rmdirSync(join(dir, 'desire.json.new'));
  const journal = () => readFileSync(join(dir, 'desire.json'), 'utf8');
  await until(() => existsSync(join(dir, 'desire.json')) && /rt_1/.test(journal()), 'written after all');
});

t.test('the inventory is sent again when it has changed', async (t) => {
  const { service, hostId, agent } = await world(t);
  const { driver, daemon } = await agent();
  await until(() => daemon.linkState() === 'up', 'up');
  const xcode = { version: '26.5', build: '17F42', developer_dir: '/Applications/Xcode_26.5.app' };
  driver.inventoryNow = { ...driver.inventoryNow, xcodes: [xcode] };
  await until(async () => (await service.hosts.get(hostId)).inventory?.xcodes.length === 1, 'reported');
});

t.test('on a low disk, work folders are deleted first, then the host takes no builds', async (t) => {
  const { service, hostId, agent } = await world(t);
  const { driver, daemon } = await agent();
  await until(() => daemon.linkState() === 'up', 'up');
  service.builds.macs = [desiredMac()];
  service.wake.wake('host', hostId);
  await until(() => driver.slots.get('slot_1')?.revision === 1, 'made');
  const GiB = 1024 ** 3;
  const diskIs = (disk_free_bytes: number) => {
    driver.inventoryNow = { ...driver.inventoryNow, disk_free_bytes };
  };
  const host = () => service.hosts.get(hostId);
  driver.work.set('older', { usedAt: 1, bytes: GiB });
  driver.work.set('newer', { usedAt: 2, bytes: GiB });
  diskIs(1.5 * GiB);
  await until(async () => (await host()).inventory?.disk_free_bytes === 2.5 * GiB, 'one was enough');
  t.same([...driver.work.keys()], ['newer'], 'the one that was used longest ago has gone');
  t.equal((await host()).diskLow, false);

  diskIs(0.5 * GiB);
  await until(async () => (await host()).diskLow, 'low disk is reported');
  t.equal(driver.work.size, 0);
  t.match((await host()).inventory, { disk_free_bytes: 1.5 * GiB, disk_reserve_bytes: 2 * GiB });
  diskIs(3 * GiB);
  await until(async () => !(await host()).diskLow, 'and that there is room again');
  const link = quickLimits;
  const build = { diskReserveBytes: 4 * GiB };
  daemon.reconfigure(parseConfig({ control_plane: 'http://127.0.0.1', limits: { link, build } }));
  await until(async () => (await host()).diskLow, 'and that more is to be kept free');
});

t.test('secrets are only in the message that starts the build', async (t) => {
  const { service, proxy, hostId, agent, assign } = await world(t);
  const { builds } = await agent({ run: (build) => void build.output('begun\n') });
  const secret = { name: 'TOKEN', value: 'correct-horse-battery' };
  assign('rb_1', [secret]);
  await until(() => builds.has('rb_1'), 'begun');
  t.same(builds.build('rb_1').secrets, [secret]);
  await until(() => service.builds.recorded('rb_1').reported, 'reported');
  const { desiredBuilds } = service.builds;
  let last: unknown;
  service.builds.desiredBuilds = async (host) => {
    last = await desiredBuilds(host);
    return last as Awaited<ReturnType<typeof desiredBuilds>>;
  };
  service.wake.wake('host', hostId);
  await until(() => last !== undefined, 'another desire');
  proxy.cut();
  await until(() => service.link.connectedHosts().length === 1, 'connected again');
  t.notMatch(JSON.stringify(last), /correct-horse/);
  builds.build('rb_1').finish();
  t.notMatch(JSON.stringify(await service.builds.finishedOnce('rb_1')), /correct-horse/);
});

/** A scripted control plane, for what the real one would never do. */
async function oddControlPlane(t: Test, behave: (socket: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    behave(socket);
  });
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { siteUrl: `http://127.0.0.1:${port}`, connections: () => connections };
}

t.test('an agent without a common protocol version logs it and retries slowly', async (t) => {
  const odd = await oddControlPlane(t, (socket) =>
    socket.on('message', () =>
      socket.close(CLOSE.protocolMismatch, 'the host speaks link protocol 1, the control plane 2 to 3'),
    ),
  );
  const { daemon } = createTestAgent({
    dir: t.testdir(),
    address: { siteUrl: odd.siteUrl, credential: 'x' },
  });
  await daemon.start();
  await until(() => daemon.linkState() === 'mismatch', 'mismatch');
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(odd.connections(), 1, 'not again at once');
  daemon.reconnect();
  await until(() => odd.connections() === 2, 'at once when asked to');
  await daemon.stop();
});

t.test('an agent survives invalid messages of the control plane', async (t) => {
  const nonsense = ['{', '{"type":"sudo"}', Buffer.from([1, 2, 3]), '{"type":"desire","sequence":-1}'];
  const odd = await oddControlPlane(t, (socket) =>
    socket.on('message', () => socket.send(nonsense[odd.connections() % nonsense.length]!)),
  );
  const { daemon } = createTestAgent({
    dir: t.testdir(),
    address: { siteUrl: odd.siteUrl, credential: 'x' },
  });
  await daemon.start();
  await until(() => odd.connections() > 8, 'it keeps trying');
  await daemon.stop();
});

t.test('an agent whose host was removed stops its builds and waits for a new credential', async (t) => {
  const { dir, service, hostId, address } = await world(t);
  let { credential } = address;
  const { daemon, builds } = createTestAgent({
    dir,
    address: () => ({ siteUrl: address.siteUrl, credential }),
  });
  await daemon.start();
  service.builds.assign(hostId, { build_id: 'rb_1' });
  service.wake.wake('host', hostId);
  await until(() => builds.has('rb_1'), 'begun');
  await service.hosts.revoke(hostId);
  await until(() => daemon.linkState() === 'refused', 'refused');
  const build = builds.build('rb_1');
  await until(() => build.stops.length === 1, 'nobody is left who wants it');
  const fresh = await service.enrol();
  credential = fresh.credential;
  daemon.reconnect();
  await until(() => service.link.connectedHosts().includes(fresh.hostId), 'connected as the new host');
  await until(() => !builds.has('rb_1'), 'which knows nothing of the old build');
  service.builds.assign(fresh.hostId, { build_id: 'rb_2' });
  service.wake.wake('host', fresh.hostId);
  await until(() => builds.has('rb_2'), 'builds run again');
  await daemon.stop();

  // Removed while the agent was not running: the next agent is refused, and stops the builds it finds.
  await service.hosts.revoke(fresh.hostId);
  const later = createTestAgent({ dir, address: { siteUrl: address.siteUrl, credential }, builds });
  await later.daemon.start();
  await until(() => later.daemon.linkState() === 'refused', 'refused');
  await until(() => builds.build('rb_2').stops.length === 1, 'stopped');
  await later.daemon.stop();
});
