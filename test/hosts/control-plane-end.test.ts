// The control plane's end of the link, driven by a scripted host over real sockets.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { createHosts } from '../../control-plane/hosts/app/hosts.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { systemClock } from '../../shared/clock.js';
import { CLOSE, type ControlMessage, encodeOutput, PROTOCOL_VERSION } from '../../shared/protocol/index.js';
import { desiredMac, readyFact } from '../harness/desired-mac.js';
import { gate } from '../harness/gate.js';
import { digestOf, imageFact, offers } from '../harness/images.js';
import { noPackages, onlyProcess, startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';
import { createFakeHost, startFakeHost } from './fake-host.js';

type Of<T extends ControlMessage['type']> = Extract<ControlMessage, { type: T }>;
const is =
  <T extends ControlMessage['type']>(type: T) =>
  (message: ControlMessage): message is Of<T> =>
    message.type === type;

async function connected(t: Test, options: Parameters<typeof startLinkService>[1] = {}) {
  const service = await startLinkService(t, options);
  const { hostId, credential } = await service.enrol();
  const start = (more: Partial<Parameters<typeof startFakeHost>[0]> = {}) =>
    startFakeHost({ siteUrl: service.siteUrl, credential, ...more });
  return { service, hostId, credential, start };
}

t.test('a host connects, gets its desire, builds, and its log arrives complete and once', async (t) => {
  const { service, hostId, start } = await connected(t);
  const log = randomBytes(3_000_000);
  service.builds.macs = [desiredMac()];
  service.builds.assign(hostId, { build_id: 'rb_1' }, [{ name: 'TOKEN', value: 'hunter2' }]);
  let token: string | undefined;
  await start({
    run: async (build) => {
      token = build.secrets.get('TOKEN');
      for (let i = 0; i < log.length; i += 70_000) build.output(log.subarray(i, i + 70_000));
      await build.finish({ exit_code: 3 });
    },
  });
  const result = await service.builds.finishedOnce('rb_1');
  t.equal(result.exit_code, 3);
  t.equal(token, 'hunter2');
  t.ok(service.builds.log('rb_1').equals(log));
  t.equal(service.builds.recorded('rb_1').finishes.length, 1);
  t.same(service.builds.macFactsOf.get(hostId), [readyFact(desiredMac())]);
  const host = await service.hosts.get(hostId);
  t.match(host, { connected: true, protocol: PROTOCOL_VERSION, agentVersion: '0.0.0-fake', driver: 'local' });
  t.same(service.link.connectedHosts(), [hostId]);
});

t.test('nothing comes before the welcome, however often the desire changes meanwhile', async (t) => {
  const { service, start } = await connected(t);
  let over = false;
  const wakeAll = () => {
    service.wake.wake('host');
    if (!over) setImmediate(wakeAll);
  };
  wakeAll();
  const host = await start();
  await host.message(is('desire'));
  over = true;
  t.equal(host.received[0]?.type, 'welcome');
});

t.test('later builds are sent at once, and a cancelled build is stopped', async (t) => {
  const { service, hostId, start } = await connected(t);
  const host = await start({
    run: async (build) => {
      build.output('working\n');
      const reason = await build.stopped;
      await build.finish({ outcome: 'stopped', stop_reason: reason, exit_code: 143 });
    },
  });
  await host.message(is('desire'));
  service.builds.assign(hostId, { build_id: 'rb_1' });
  service.wake.wake('host', hostId);
  await until(() => service.builds.recorded('rb_1').logBytes > 0, 'output');
  service.builds.cancel('rb_1');
  service.wake.wake('host', hostId);
  const result = await service.builds.finishedOnce('rb_1');
  t.equal(result.stop_reason, 'cancelled_by_user');
});

t.test('a desire is sent only once the previous one is acknowledged, and then the latest', async (t) => {
  const { service, hostId, credential } = await connected(t);
  const seen: Of<'desire'>[] = [];
  const ws = new WebSocket(`${service.siteUrl.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  ws.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as ControlMessage;
    if (message.type === 'desire') seen.push(message);
  });
  await new Promise((resolve) => ws.once('open', resolve));
  ws.send(JSON.stringify(hello));
  await until(() => seen.length === 1, 'the first desire');
  for (let i = 1; i <= 5; i++) {
    service.builds.assign(hostId, { build_id: `rb_${i}` });
    service.wake.wake('host', hostId);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(seen.length, 1, 'nothing more before the acknowledgment');
  ws.send(JSON.stringify({ type: 'desire_ack', sequence: seen[0]?.sequence }));
  await until(() => seen.length === 2, 'the second desire');
  t.equal(seen[1]?.builds.length, 5);
  ws.send(JSON.stringify({ type: 'desire_ack', sequence: 99 }));
  const [code, reason] = await new Promise<[number, Buffer]>((resolve) => ws.once('close', (...end) => resolve(end)));
  t.equal(code, CLOSE.invalidMessage);
  t.match(reason.toString(), /sequence/);
});

t.test('images of tiers are sent to the host, and its reports are stored', async (t) => {
  const { service, hostId, start } = await connected(t);
  const digest = digestOf('a');
  service.builds.images = [{ image: 'macos:26', digest: null, pull: true }];
  const host = await start();
  t.same((await host.message(is('desire'))).images, service.builds.images);
  t.equal(service.builds.imageFactsOf.get(hostId), undefined, 'an older agent says nothing of images');
  const images = [imageFact({ digest, offers: offers() }), { image: 'local-vm', state: 'absent' as const }];
  host.sendRaw(JSON.stringify({ type: 'facts', builds: [], macs: [], images }));
  await until(() => service.builds.imageFactsOf.has(hostId), 'the report');
  const nothing = { digest: null, percent: null, bytes: null, error: null, offers: null };
  t.same(service.builds.imageFactsOf.get(hostId), [images[0], { ...nothing, ...images[1] }]);
  host.sendRaw(JSON.stringify({ type: 'facts', builds: [], macs: [], images: [imageFact({ image: '-v' })] }));
  await until(() => service.builds.imageFactsOf.get(hostId)?.length === 0, 'the invalid record is left out');
});

t.test("the skew of a host's clock is measured, and its connections are counted", async (t) => {
  const { service, hostId, start } = await connected(t);
  const host = await start();
  const shown = () => service.hosts.get(hostId);
  t.match(await shown(), { clockSkewMs: null, connections: 1 }, 'an older agent sends no time');
  const { draining, inventory: same } = hello;
  const report = (more: object) =>
    host.sendRaw(JSON.stringify({ type: 'inventory', inventory: same, draining, ...more }));
  report({ sent_at: Date.now() + 3_600_000 });
  await until(async () => (await shown()).clockSkewMs !== null, 'the skew');
  const { clockSkewMs } = await shown();
  t.ok(clockSkewMs !== null && clockSkewMs > 3_540_000 && clockSkewMs <= 3_600_000, `${clockSkewMs}`);
  report({ inventory: { ...same, macos: '26.1' } });
  await until(async () => (await shown()).inventory?.macos === '26.1', 'a report without the time');
  t.equal((await shown()).clockSkewMs, clockSkewMs);
  await host.close();
  await host.connect();
  t.match(await shown(), { clockSkewMs: null, connections: 2 });
});

t.test('the health of a host is stored, and kept until the host reports it again', async (t) => {
  const { service, hostId, start } = await connected(t);
  const host = await start();
  const health = () => service.hosts.get(hostId).then((found) => found.health);
  t.equal(await health(), null, 'an older agent says nothing of its health');
  const { draining, inventory: small } = hello;
  const report = (more: object) =>
    host.sendRaw(JSON.stringify({ type: 'inventory', inventory: small, draining, ...more }));
  const finding = { check: 'sleep', status: 'failed', found: 'sleeps', fix: 'sudo pmset -a sleep 0' };
  report({
    health: { checked_at: 5, findings: [finding, { ...finding, check: 'No\u202eName', fix: null }] },
  });
  await until(async () => (await health()) !== null, 'the health');
  const stored = { checked_at: 5, findings: [finding, { ...finding, check: null, fix: null }] };
  t.same(await health(), stored);
  const { chip = null } = (await service.hosts.get(hostId)).inventory ?? {};
  t.equal(chip, null);
  report({ inventory: { ...small, macos: '26.1', chip: 'Apple M4 Pro' } });
  await until(async () => (await service.hosts.get(hostId)).inventory?.macos === '26.1', 'the inventory');
  t.same(await health(), stored);
  await host.close();
  await host.connect();
  await until(async () => (await service.hosts.get(hostId)).inventory?.macos === undefined, 'the next hello');
  t.same(await health(), stored, 'a daemon that has just started has not made its checks yet');
  report({ health: { checked_at: 6, findings: Array(61).fill(finding) } });
  await until(async () => (await health())?.checked_at === 6, 'the next health');
  t.equal((await health())?.findings.length, 60, 'what is beyond the limit is left out');
});

t.test('how far the upgrade of an agent has come is stored; an agent that does not report it has none', async (t) => {
  const { service, hostId, start } = await connected(t);
  const host = await start();
  const stored = () => service.hosts.get(hostId).then(({ upgrade }) => upgrade);
  t.equal(await stored(), null);
  const upgrade = { able: true, platform: 'darwin-arm64', attempt: 'up_1', version: '0.2.0' } as const;
  host.send({
    type: 'facts',
    builds: [],
    macs: [],
    upgrade: { ...upgrade, state: 'failed', error: 'the disk is full\u202e' },
  });
  await until(async () => (await stored())?.state === 'failed', 'the report');
  t.same(await stored(), { ...upgrade, state: 'failed', error: 'the disk is full' });
  await host.close();
  await host.connect();
  await until(async () => (await stored()) === null, 'a hello without it');
});

const hello = {
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  oldest_protocol: PROTOCOL_VERSION,
  agent_version: '1',
  inventory: {
    hostname: 'h',
    os: 'o',
    arch: 'a',
    cpu_cores: 1,
    memory_bytes: 1,
    disk_free_bytes: 1,
    driver: 'local',
    xcodes: [],
  },
  draining: false,
  builds: [],
  macs: [],
};

t.test('an invalid message closes the link and names the field', async (t) => {
  const { service, credential } = await connected(t);
  const cases: [string, (string | Buffer)[], number, RegExp][] = [
    ['not JSON', ['{'], 4400, /not JSON/],
    ['another message before hello', [JSON.stringify({ type: 'desire_ack', sequence: 1 })], 4400, /hello/],
    [
      'a wrong field',
      [JSON.stringify({ ...hello, inventory: { ...hello.inventory, cpu_cores: 0 } })],
      4400,
      /^hello: inventory\.cpu_cores: too_small$/,
    ],
    ['an unknown type', [JSON.stringify(hello), JSON.stringify({ type: 'sudo' })], 4400, /^sudo: type: invalid_union$/],
    ['hello twice', [JSON.stringify(hello), JSON.stringify(hello)], 4400, /hello/],
    [
      'a type with hidden characters',
      [JSON.stringify(hello), JSON.stringify({ type: 'x\u202e\x1b[31m' })],
      4400,
      /^message: type: invalid_union$/,
    ],
    [
      'output before hello',
      [encodeOutput({ build_id: 'b', attempt: 1, offset: 0 }, Buffer.from('x'))],
      4400,
      /welcome/,
    ],
    [
      'a protocol of the future',
      [JSON.stringify({ type: 'hello', protocol: 9, oldest_protocol: 7, whatever: true })],
      4426,
      new RegExp(`^the host speaks link protocol 7 to 9, the control plane .*${PROTOCOL_VERSION}$`),
    ],
  ];
  for (const [name, frames, code, reason] of cases) {
    const ws = new WebSocket(`${service.siteUrl.replace('http', 'ws')}/link`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    await new Promise((resolve) => ws.once('open', resolve));
    for (const frame of frames) ws.send(frame);
    const end = await new Promise<[number, Buffer]>((resolve) => ws.once('close', (...e) => resolve(e)));
    t.equal(end[0], code, name);
    t.match(end[1].toString(), reason, name);
  }
});

t.test('without a valid credential there is no link, and no other path is one', async (t) => {
  const { service, credential } = await connected(t);
  const status = (path: string, authorization?: string) =>
    new Promise<number>((resolve, reject) => {
      const ws = new WebSocket(`${service.siteUrl.replace('http', 'ws')}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
      });
      ws.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      ws.once('open', () => resolve(101));
      ws.on('error', reject);
      t.teardown(() => ws.terminate());
    });
  t.equal(await status('/link'), 401);
  t.equal(await status('/link', 'Bearer cmh_unknown'), 401);
  t.equal(await status('/link', `Basic ${credential}`), 401);
  t.equal(await status('/other', `Bearer ${credential}`), 404);
  t.equal(await status('/link', `Bearer ${credential}`), 101);
});

t.test('the connection of a refused upgrade is closed, even if the client keeps it open', async (t) => {
  const { service } = await connected(t);
  for (const path of ['/link', '/other']) {
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
    t.teardown(() => socket.destroy());
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    await until(() => /\n$/.test(received.split('\r\n\r\n')[1] ?? ''), 'the answer');
    await until(async () => (await service.connections()) === 0, `the end of ${path}`);
  }
});

t.test('concurrent connections of a host are limited', async (t) => {
  const { service, hostId, credential, start } = await connected(t);
  const open = () =>
    new Promise<number>((resolve) => {
      const ws = new WebSocket(`${service.siteUrl.replace('http', 'ws')}/link`, {
        headers: { authorization: `Bearer ${credential}` },
      });
      ws.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      ws.once('open', () => resolve(101));
      ws.on('error', () => {});
      t.teardown(() => ws.terminate());
    });
  const statuses = await Promise.all(Array.from({ length: 100 }, open));
  t.equal(statuses.filter((status) => status === 101).length, defaultLimits.link_connections);
  t.equal(statuses.filter((status) => status === 429).length, 100 - defaultLimits.link_connections);
  const other = await service.enrol();
  await start({ credential: other.credential });
  t.same(service.link.connectedHosts(), [other.hostId], 'another host can connect');
  t.not(other.hostId, hostId);
});

t.test('a second connection of a host replaces the first, which has no further effect', async (t) => {
  const { service, hostId, start } = await connected(t);
  const first = await start();
  const second = await start();
  t.match(await first.closed(), { code: CLOSE.replaced });
  await until(async () => (await service.hosts.get(hostId)).connected, 'still connected');
  t.same(service.link.connectedHosts(), [hostId]);
  await second.close();
  await until(async () => !(await service.hosts.get(hostId)).connected, 'disconnected');
});

t.test('a removed host is disconnected at once and cannot reconnect', async (t) => {
  const { service, hostId, start } = await connected(t);
  const host = await start();
  await service.hosts.revoke(hostId);
  t.match(await host.closed(), { code: CLOSE.unauthorized });
  await t.rejects(host.connect(), /401/);
});

t.test('a host removed by another process beside the service is disconnected too', async (t) => {
  const database = join(t.testdir(), 'service.db');
  const { hostId, start } = await connected(t, { database });
  const host = await start();
  const beside = openSqlite(database);
  const clock = systemClock;
  await createHosts({
    store: beside,
    clock,
    wake: createWake(clock),
    packages: noPackages,
    processes: onlyProcess,
    limits: defaultLimits,
  }).revoke(hostId);
  t.match(await host.closed(), { code: CLOSE.unauthorized });
  await beside.close();
});

t.test('a host cannot report builds of another', async (t) => {
  const { service, hostId, start } = await connected(t);
  const mine = await start({ run: (build) => build.output('mine\n') });
  await mine.message(is('desire'));
  service.builds.assign(hostId, { build_id: 'rb_1' });
  service.wake.wake('host', hostId);
  await until(() => service.builds.recorded('rb_1').logBytes > 0, 'output');

  const other = await service.enrol();
  const intruder = await startFakeHost({ siteUrl: service.siteUrl, credential: other.credential });
  intruder.sendRaw(encodeOutput({ build_id: 'rb_1', attempt: 1, offset: 5 }, Buffer.from('forged')));
  const ack = await intruder.message(is('output_ack'));
  t.equal(ack.next_offset, 11, 'answered as if it had been kept');
  t.equal(service.builds.log('rb_1').toString(), 'mine\n');
});

t.test('a late report of a reassigned build is acknowledged, so that the host can delete it', async (t) => {
  const { service, hostId, start } = await connected(t);
  service.builds.assign(hostId, { build_id: 'rb_1' });
  const host = await start({
    run: async (build) => {
      build.output('half');
      await build.stopped;
      build.output(' more');
      await build.finish({ outcome: 'stopped', stop_reason: 'superseded' });
    },
  });
  await until(() => service.builds.recorded('rb_1').logBytes > 0, 'output');
  host.drop();
  service.builds.forget('rb_1');
  await host.connect();
  await until(() => host.build('rb_1') === undefined, 'forgotten');
});

t.test('a build that the host has lost is reported absent', async (t) => {
  const { service, hostId, start } = await connected(t);
  service.builds.assign(hostId, { build_id: 'rb_1' });
  const host = await start();
  await until(() => service.builds.recorded('rb_1').reported, 'reported');
  host.drop();
  host.lose('rb_1');
  await host.connect();
  await until(() => service.builds.recorded('rb_1').facts.at(-1)?.state === 'absent', 'absent');
});

t.test('output that cannot be stored is requested again, and other builds are not affected', async (t) => {
  const { service, hostId, start } = await connected(t);
  let failures = 0;
  service.builds.beforeOutput = (buildId) => {
    if (buildId === 'rb_bad' && failures++ < 1) throw new Error('disk full');
  };
  for (const build_id of ['rb_bad', 'rb_good']) service.builds.assign(hostId, { build_id });
  const log = randomBytes(1_000_000);
  const done: string[] = [];
  await start({
    run: async (build) => {
      build.output(log);
      await build.finish();
      done.push(build.spec.build_id);
    },
  });
  await until(() => done.length === 2, 'both');
  t.same(done, ['rb_good', 'rb_bad']);
  t.ok(service.builds.log('rb_bad').equals(log));
});

t.test('a host that floods is slowed down, not stored in memory', async (t) => {
  const { service, hostId, start } = await connected(t);
  const { open, opened } = gate();
  service.builds.beforeOutput = () => opened;
  service.builds.assign(hostId, { build_id: 'rb_1' });
  const log = randomBytes(64 * 1024 * 1024);
  await start({
    run: async (build) => {
      build.output(log);
      await build.finish();
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.ok(service.bytesRead() < 20 * 1024 * 1024, `${service.bytesRead()} of ${log.length} bytes taken`);
  open();
  await service.builds.finishedOnce('rb_1');
  t.ok(service.builds.log('rb_1').equals(log));
});

t.test('a host that goes silent is detected by the heartbeat', async (t) => {
  const { service, hostId, credential } = await connected(t, { heartbeatMs: 200 });
  const ws = new WebSocket(`${service.siteUrl.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${credential}` },
    autoPong: false,
  });
  ws.on('error', () => t.pass('cut'));
  await new Promise((resolve) => ws.once('open', resolve));
  ws.send(JSON.stringify(hello));
  await until(async () => (await service.hosts.get(hostId)).connected, 'connected');
  await until(async () => !(await service.hosts.get(hostId)).connected, 'noticed');
  const alive = createFakeHost({ siteUrl: service.siteUrl, credential });
  await alive.connect();
  await new Promise((resolve) => setTimeout(resolve, 700));
  t.ok((await service.hosts.get(hostId)).connected, 'one that answers stays');
  await alive.close();
});

t.test('after a restart of the service no host counts as connected, and hosts get time to reconnect', async (t) => {
  const database = join(t.testdir(), 'service.db');
  const first = await startLinkService(t, { database });
  const { hostId, credential } = await first.enrol();
  await first.hosts.connect(hostId, {
    ...hello,
    inventory: { ...hello.inventory, driver: 'local' },
    agentVersion: '1',
  });
  await first.stop();
  const second = await startLinkService(t, { database });
  t.notOk((await second.hosts.get(hostId)).connected);
  const host = await startFakeHost({ siteUrl: second.siteUrl, credential });
  t.equal(host.hostId(), hostId);
  await host.close();
});

t.test('a host that another process recorded as disconnected is used again after its next renewal', async (t) => {
  const { service, hostId, start } = await connected(t);
  await start();
  const { connectedAt } = await service.hosts.get(hostId);
  await service.hosts.disconnectAll();
  const woken: string[] = [];
  service.wake.on('scheduler', (key) => woken.push(key));
  t.equal(await service.hosts.renew(hostId, connectedAt ?? 0), 'present');
  t.equal((await service.hosts.get(hostId)).connected, true);
  t.same(woken, [''], 'builds that waited for its Macs are looked at');
  t.equal(await service.hosts.renew(hostId, connectedAt ?? 0), 'present');
  t.equal(woken.length, 1, 'a renewal that changes nothing wakes nobody');
});

t.test('a start that cannot be computed now is retried, and the other builds are sent', async (t) => {
  const { service, hostId, start } = await connected(t);
  const { desiredBuilds } = service.builds;
  service.builds.assign(hostId, { build_id: 'rb_broken' });
  service.builds.assign(hostId, { build_id: 'rb_fine' });
  let broken = true;
  service.builds.desiredBuilds = async (host, failed) => {
    const desired = await desiredBuilds(host);
    if (!broken) return desired;
    failed?.('rb_broken', new Error('the disk does not answer'));
    return desired.map((one) => (one.build_id === 'rb_broken' ? { ...one, spec: null, secrets: null } : one));
  };
  const ran: string[] = [];
  await start({
    run: async (build) => {
      ran.push(build.spec.build_id);
      await build.finish({ exit_code: 0 });
    },
  });
  await service.builds.finishedOnce('rb_fine');
  t.same(ran, ['rb_fine']);
  broken = false;
  await service.builds.finishedOnce('rb_broken');
  t.same(ran, ['rb_fine', 'rb_broken']);
});

t.test('on startup, hosts that were connected before are waited for, but not forever', async (t) => {
  const { service, hostId, start } = await connected(t);
  t.equal(service.hosts.awaited(), 0);
  const host = await start();
  const { store, clock, wake } = service;
  const restart = async () => {
    const hosts = createHosts({
      store,
      clock,
      wake,
      packages: noPackages,
      processes: onlyProcess,
      limits: defaultLimits,
    });
    await hosts.disconnectAll();
    return hosts;
  };
  const hosts = await restart();
  t.equal(hosts.awaited(), 1);
  const state = {
    inventory: hello.inventory,
    draining: false,
    agentVersion: '1',
    protocol: PROTOCOL_VERSION,
  };
  await hosts.connect(hostId, { ...state, inventory: { ...hello.inventory, driver: 'local' as const } });
  t.equal(hosts.awaited(), 0);
  const again = await restart();
  t.equal(again.awaited(), 1);
  await clock.advance(defaultLimits.ready_hosts_wait_ms);
  t.equal(again.awaited(), 0, 'one that stays away does not keep the service from being ready');
  await clock.advance(defaultLimits.link_renew_ms + 1);
  t.equal((await restart()).awaited(), 0, 'nor one that has been away for long');
  await host.close();
});
