// Restarts of the agent, stops that it must carry out, and a control plane that it does not understand.
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { CLOSE } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';
import { world } from './link-world.js';
import { createTestAgent } from './test-agent.js';

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
