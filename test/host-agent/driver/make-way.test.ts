// A Mac that needs the place or the disk space of a spare, while the periodic work deletes that spare anyway.
import t from 'tap';
import type { VmContext } from '../../../host-agent/driver/vm/context.js';
import { createHostBlocks } from '../../../host-agent/driver/vm/host-block.js';
import { openImageKnowledge } from '../../../host-agent/driver/vm/image-knowledge.js';
import type { Machines } from '../../../host-agent/driver/vm/machines.js';
import { createSpares } from '../../../host-agent/driver/vm/spares.js';
import { createVmStore } from '../../../host-agent/driver/vm/vm-store.js';
import { systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { gate } from '../../harness/gate.js';

const NAME = 'cidermill-0123456789';

function openSpares(folder: string) {
  const store = createVmStore(folder);
  const size = { cpuCores: null, memoryGb: null, diskGb: null };
  const state = { prepared: true, booting: false, guest: null, madeAt: 0, failedBoots: 0 };
  store.write({ name: NAME, purpose: 'spare', image: 'acme/macos:26', digest: 'sha256:1', size, ...state });
  const context = {
    store,
    settings: { warm_spares: 0 },
    blocks: createHostBlocks(() => {}),
    knowledge: openImageKnowledge(folder, { changed() {}, clock: systemClock, limits: { unusableMs: 0 } }),
    log: createLog('test', 'silent'),
  } as unknown as VmContext;
  const [listing, deleting] = [gate(), gate()];
  let runs = true;
  const machines = {
    async list() {
      const vms = runs ? [{ name: NAME, state: 'running' as const }] : [];
      await listing.opened;
      return vms;
    },
    async destroy() {
      await deleting.opened;
      runs = false;
    },
  } as unknown as Machines;
  const spares = createSpares({
    context,
    machines,
    images: { wanted: () => null, find: async () => null },
    cloning: (work) => work(),
    hasRoom: async () => true,
    busy: () => true,
    closed: () => false,
  });
  return { spares, store, listing, deleting, runs: () => runs };
}

t.test('a deletion that begins while virtual machines are listed makes way', async (t) => {
  const rig = openSpares(t.testdir());
  const way = rig.spares.makeWay();
  // No spares are wanted, so the periodic work deletes this one.
  const kept = rig.spares.keep();
  while (rig.store.read(NAME)?.purpose === 'spare') await new Promise(setImmediate);
  rig.listing.open();
  await new Promise(setImmediate);
  t.ok(rig.runs(), 'the deletion takes its time');
  rig.deleting.open();
  t.equal(await way, true, 'there is a place');
  t.notOk(rig.runs(), 'not before the spare is gone');
  await kept;
});

t.test('disk space is free only when a deletion in progress has ended', async (t) => {
  const rig = openSpares(t.testdir());
  const kept = rig.spares.keep();
  while (rig.store.read(NAME)?.purpose === 'spare') await new Promise(setImmediate);
  const given = rig.spares.giveUp();
  await new Promise(setImmediate);
  rig.deleting.open();
  t.equal(await given, true, 'there was one');
  t.notOk(rig.runs(), 'and it is gone');
  rig.listing.open();
  await kept;
});
