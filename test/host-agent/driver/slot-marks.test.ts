// Which folders in `macs/` an agent counts as its own.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { isMarked } from '../../../host-agent/driver/slot-marks.js';
import { openImageKnowledge } from '../../../host-agent/driver/vm/image-knowledge.js';
import { createVmStore } from '../../../host-agent/driver/vm/vm-store.js';
import { systemClock } from '../../../shared/clock.js';

const record = {
  rental_id: 'rt_1',
  account_id: 1,
  generation: 1,
  revision: 1,
  xcode: null,
  runtimes: [],
  tools: [],
};

t.test('folders of the agent, copies of them, and those of an earlier version', async (t) => {
  const dataDir = t.testdir();
  const macs = join(dataDir, 'macs');
  const open = () => createLocalDriver({ dataDir });
  const listed = async (driver = open()) => (await driver.listMacs()).map((mac) => mac.slot_id);
  const driver = open();
  await driver.create({ slot_id: 'slot_x', image: null }, () => {});
  t.same(await listed(), ['slot_x'], 'also before it is complete');
  await driver.saveRecord('slot_x', record);
  cpSync(join(macs, 'slot_x'), join(macs, 'slot_x_old'), { recursive: true });
  mkdirSync(join(macs, 'notes'));
  mkdirSync(join(macs, 'early'));
  writeFileSync(join(macs, 'early', 'mac.json'), JSON.stringify(record));
  symlinkSync(join(macs, 'slot_x'), join(macs, 'linked'));
  t.same(await listed(), ['slot_x']);
  t.equal(isMarked(macs, 'slot_x_old'), false);

  driver.claimSlots(['slot_x', 'early', 'not/a/slot', 'gone']);
  t.same(await listed(), ['early', 'slot_x'], 'the next agent knows it too');
  rmSync(join(macs, 'slot_x', '.cidermill-slot'));
  t.same(await listed(driver), ['early', 'slot_x'], 'a build cannot hide its Mac from this agent');
  const next = open();
  next.claimSlots(['slot_x']);
  await next.remove('slot_x');
  await next.remove('early');
  t.same(readdirSync(macs).sort(), ['linked', 'notes', 'slot_x_old']);
});

t.test('the same for virtual machines, whose records in a copy still count as used', async (t) => {
  const dataDir = t.testdir();
  const store = createVmStore(dataDir);
  store.writeSlot('slot_x', { vm: 'cidermill-0123456789', record: null });
  cpSync(join(dataDir, 'macs', 'slot_x'), join(dataDir, 'macs', 'slot_y'), { recursive: true });
  t.same(createVmStore(dataDir).slots(), ['slot_x']);
  await store.removeSlot('slot_x');
  t.same(store.slots(), []);
  t.same(store.recordedVms(), ['cidermill-0123456789'], 'of the copy');
});

t.test('one invalid record of an image does not hide what is known of the others', async (t) => {
  const dataDir = t.testdir();
  const given = { changed() {}, clock: systemClock, limits: { unusableMs: 1 } };
  const offers = { macos: '26.1', xcodes: [], runtimes: [], tools: [] };
  const guest = { guest: 'exec' as const, user: 'admin', home: '/Users/admin', offers };
  const written = {
    fetched: ['a/b:1'],
    guests: { 'sha256:1': guest, 'sha256:2': { guest: 'pigeon' } },
    last: 7,
  };
  writeFileSync(join(dataDir, 'images.json'), JSON.stringify(written));
  const known = openImageKnowledge(dataDir, given);
  t.same(known.fetched(), ['a/b:1']);
  t.match(known.guestOf('sha256:1'), guest);
  t.equal(known.guestOf('sha256:2'), null);
  t.equal(known.lastModel(), null);
});
