// What an agent reports about its images and its driver to a scripted control plane.
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { type AgentMessage, type DesiredImage, PROTOCOL_VERSION } from '../../../shared/protocol/index.js';
import { until } from '../../harness/until.js';
import { createTestAgent } from './test-agent.js';

async function controlPlane(t: Test) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const messages: AgentMessage[] = [];
  let socket: WebSocket | null = null;
  let sequence = 0;
  const send = (message: object) => socket?.send(JSON.stringify(message));
  server.on('connection', (connected) => {
    socket = connected;
    connected.on('message', (data, binary) => {
      if (binary) return;
      const message = JSON.parse(String(data)) as AgentMessage;
      messages.push(message);
      if (message.type !== 'hello') return;
      const welcome = { type: 'welcome', protocol: PROTOCOL_VERSION, host_id: 'h1' };
      send({ ...welcome, heartbeat_ms: 10_000, now: 0 });
    });
  });
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    siteUrl: `http://127.0.0.1:${port}`,
    messages,
    desire: (images: readonly DesiredImage[]) =>
      send({ type: 'desire', sequence: ++sequence, builds: [], macs: [], images }),
    acknowledged: () => messages.some((one) => one.type === 'desire_ack' && one.sequence === sequence),
    said: () => messages.flatMap((one) => (one.type === 'facts' && one.images ? [one.images] : [])),
    drop: () => socket?.terminate(),
  };
}

const image = { image: 'ghcr.io/acme/macos:26', digest: null, pull: true };
const nothing = { percent: null, bytes: null, error: null, offers: null };
const absent = { image: image.image, digest: null, state: 'absent' as const, ...nothing };
const pulling = { ...absent, state: 'pulling' as const, percent: 10 };

t.test('images are reported: all in hello, then changes, all again after a desire with other images', async (t) => {
  const plane = await controlPlane(t);
  const { daemon, driver } = createTestAgent({
    dir: t.testdir(),
    address: { siteUrl: plane.siteUrl, credential: 'x' },
  });
  driver.images = [absent];
  await daemon.start();
  t.teardown(() => daemon.stop());
  await until(() => daemon.linkState() === 'up', 'connected');
  t.match(plane.messages[0], { type: 'hello', images: [absent], sent_at: Number });
  t.equal(driver.wantedImages, null);

  plane.desire([image]);
  await until(() => plane.said().length === 1, 'said again, because others are named now');
  t.same(driver.wantedImages, [image]);
  plane.desire([image]);
  await until(plane.acknowledged, 'the desire');
  driver.images = [pulling];
  driver.watcher?.images();
  await until(() => plane.said().length === 2, 'the change');
  driver.watcher?.images();
  t.same(plane.said(), [[absent], [pulling]], 'and nothing twice');

  plane.drop();
  await until(() => plane.messages.filter(({ type }) => type === 'hello').length === 2, 'connected again');
  t.match(plane.messages.filter(({ type }) => type === 'hello')[1], { images: [pulling] });
});

t.test('a blocked host and a Mac that was switched off are reported at once', async (t) => {
  const plane = await controlPlane(t);
  const { daemon, driver } = createTestAgent({
    dir: t.testdir(),
    address: { siteUrl: plane.siteUrl, credential: 'x' },
  });
  await daemon.start();
  await until(() => daemon.linkState() === 'up', 'connected');
  const blocked = { code: 'keychain_locked', message: 'The login keychain is locked' };
  driver.inventoryNow = { ...driver.inventoryNow, blocked };
  driver.watcher?.inventory();
  // The report of the first checks can arrive earlier.
  const reported = () => plane.messages.some((one) => one.type === 'inventory' && one.inventory.blocked);
  await until(reported, 'reported');
  t.match(
    plane.messages.findLast(({ type }) => type === 'inventory'),
    { inventory: { blocked } },
  );
  const record = { rental_id: 'rt_1', account_id: 1, generation: 1, revision: 1, xcode: null };
  driver.slots.set('slot_1', { ...record, runtimes: [], tools: [] });
  driver.stopped.add('slot_1');
  driver.watcher?.macs();
  const facts = () => plane.messages.flatMap((one) => (one.type === 'facts' ? one.macs : []));
  await until(() => facts().length > 0, 'the Mac');
  t.match(facts(), [{ slot_id: 'slot_1', state: 'preparing' }]);
  await daemon.stop();
  t.equal(driver.watcher, null, 'a stopped daemon watches no longer');
});
