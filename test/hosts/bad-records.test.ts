// One bad record in each list of the link, in both directions: it is left out, and the rest of the message counts.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createLocalDriver } from '../../host-agent/driver/local.js';
import { createVmStore } from '../../host-agent/driver/vm/vm-store.js';
import { agentMessage, CLOSE, controlMessage } from '../../shared/protocol/index.js';
import { withRefused } from '../../shared/protocol/kinds.js';
import { commandsOf } from '../harness/admin.js';
import { desiredMac } from '../harness/desired-mac.js';
import { hello, inventory, startMaliciousHost } from '../harness/malicious-host.js';
import { until } from '../harness/until.js';
import { fact, hostileImage, macFact, usualHealth, usualResult, xcode } from './hostile-messages.js';

const bad = [null, 7, 'text', [], {}, { slot_id: 'slot_x.bak', name: '../../x', build_id: 'a b', check: {} }];
const image = hostileImage() as { offers: { xcodes: unknown[]; runtimes: unknown[]; tools: unknown[] } };

/** Each list of a host's messages: with the records around a bad one. */
const lists: Record<string, (records: (good: unknown) => unknown[]) => Record<string, unknown>> = {
  'hello builds': (among) => ({ ...hello, builds: among(fact('rb_1')) }),
  'hello macs': (among) => ({ ...hello, macs: among(macFact('slot_x', 'rt_1')) }),
  'hello images': (among) => ({ ...hello, images: among(image) }),
  'hello findings': (among) => ({
    ...hello,
    health: { ...usualHealth, findings: among(usualHealth.findings[0]) },
  }),
  'inventory xcodes': (among) => ({
    type: 'inventory',
    draining: false,
    inventory: { ...inventory, xcodes: among(xcode) },
  }),
  'facts builds': (among) => ({ type: 'facts', builds: among(fact('rb_1')), macs: [] }),
  'facts macs': (among) => ({ type: 'facts', builds: [], macs: among(macFact('slot_x', 'rt_1')) }),
  'facts images': (among) => ({ type: 'facts', builds: [], macs: [], images: among(image) }),
  'facts steps': (among) => ({
    type: 'facts',
    macs: [],
    builds: [{ ...fact('rb_1'), steps: among({ step: 'script', at: 1 }) }],
  }),
  'offered xcodes': (among) => ({
    type: 'facts',
    builds: [],
    macs: [],
    images: [{ ...image, offers: { ...image.offers, xcodes: among({ version: '26.1', build: null }) } }],
  }),
  'result artifacts': (among) => ({
    type: 'build_finished',
    build_id: 'rb_1',
    attempt: 1,
    result: { ...usualResult, artifacts: among({ name: 'a', bytes: 1, sha256: 'a'.repeat(64) }) },
  }),
};

t.test('the service refuses a record, not the link', async (t) => {
  const m = await startMaliciousHost(t);
  for (const [name, message] of Object.entries(lists)) {
    for (const one of bad) {
      const sent = message((good) => [good, one, good]);
      const { result, refused } = withRefused(() => agentMessage.safeParse(sent));
      t.ok(result.success, `${name}: ${JSON.stringify(one)}`);
      t.equal(refused.length, 1, 'it is said which');
      const whole = agentMessage.parse(message((good) => [good, good]));
      t.same(result.data, whole, 'the others are as without it');
    }
    const sent = message((good) => [good, { slot_id: 'slot_x.bak' }, good]);
    const link = await m.connect();
    if (sent.type !== 'hello') await link.greet();
    link.send(sent);
    // Only the last message, which no host sends, closes the connection.
    t.equal(await link.end(), CLOSE.invalidMessage);
    t.ok(
      link.received.some(({ type }) => type === 'welcome'),
      'the host was accepted',
    );
  }
});

t.test('a Mac with an invalid record in hello does not count as lost', async (t) => {
  const m = await startMaliciousHost(t);
  const [mac] = await m.evil.macs();
  const state = async () =>
    (await m.h.call('GET', '/rentals')).json().rentals.map((one: { status: string }) => one.status);
  const before = await state();
  const link = await m.connect();
  link.send({ ...hello, macs: [{ ...macFact(mac?.slot_id ?? '', mac?.rental_id ?? ''), generation: -1 }] });
  await link.answered('desire');
  await link.end();
  t.same(await state(), before);
});

t.test('an image whose record is not valid stays as it was', async (t) => {
  const m = await startMaliciousHost(t);
  const name = 'ghcr.io/acme/macos:26';
  const { hostId } = m.evil;
  await commandsOf(m.h)('tier', 'edit', '--tier', 'evil', '--image', name);
  const ready = { ...image, image: name, state: 'ready' };
  const states = async () =>
    (
      await m.h.store.all<{ state: string }>('SELECT state FROM host_images WHERE host_id = :hostId', {
        hostId,
      })
    ).map(({ state }) => state);
  const link = await m.connect();
  await link.greet();
  link.send({ type: 'facts', builds: [], macs: [], images: [ready] });
  await until(async () => (await states())[0] === 'ready', 'it is known');
  link.send({ type: 'facts', builds: [], macs: [], images: [{ ...ready, percent: -1 }] });
  link.send({ type: 'facts', builds: [], macs: [] });
  await link.end();
  t.same(await states(), ['ready']);
});

t.test('the agent refuses a record, not the link', async (t) => {
  const desire = (lists: object) => ({ type: 'desire', sequence: 1, builds: [], macs: [], ...lists });
  const good = {
    builds: { build_id: 'rb_1', attempt: 1, want: 'stop', stop_reason: null, spec: null, secrets: null },
    macs: desiredMac(),
    images: { image: 'a', digest: null, pull: false },
  };
  for (const [name, record] of Object.entries(good)) {
    for (const one of bad) {
      const { result, refused } = withRefused(() =>
        controlMessage.safeParse(desire({ [name]: [record, one, record] })),
      );
      t.ok(result.success, `${name}: ${JSON.stringify(one)}`);
      t.equal(refused.length, 1);
      t.same(result.data, controlMessage.parse(desire({ [name]: [record, record] })));
    }
  }
});

t.test('a folder in macs/ that is no slot is neither reported nor deleted', async (t) => {
  const dataDir = t.testdir();
  const strange = ['slot_1.bak', 'a b', 'ünï', '.DS_Store', `${'x'.repeat(101)}`];
  for (const name of ['slot_1', ...strange]) {
    mkdirSync(join(dataDir, 'macs', name), { recursive: true });
    writeFileSync(join(dataDir, 'macs', name, 'mac.json'), '{}');
  }
  const driver = createLocalDriver({ dataDir });
  driver.claimSlots(['slot_1']);
  t.same(
    (await driver.listMacs()).map((mac) => mac.slot_id),
    ['slot_1'],
  );
  t.same(createVmStore(dataDir).slots(), ['slot_1']);
  await driver.remove('slot_1');
  await until(() => !readdirSync(join(dataDir, 'macs')).includes('slot_1'), 'the slot is removed');
  t.same(readdirSync(join(dataDir, 'macs')).sort(), [...strange].sort());
});
