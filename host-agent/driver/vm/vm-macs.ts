// The Macs of a host as virtual machines. Each step is recorded before it begins, so that an interrupted one is found and
// completed or removed.
import { randomUUID } from 'node:crypto';
import { within } from '../../system/within.js';
import type { HostMac, MacDriver, NewMac, Percent } from '../driver.js';
import { NotInstalledError } from '../driver.js';
import type { VmContext } from './context.js';
import type { ImageOnHost } from './image-fetches.js';
import type { Model } from './image-knowledge.js';
import type { Images } from './images.js';
import type { Machines } from './machines.js';
import type { Spares } from './spares.js';
import { type Vm, VmToolError } from './tool.js';
import { newVmName } from './vm-names.js';

export interface VmMacsDeps {
  readonly context: VmContext;
  readonly machines: Machines;
  readonly images: Images;
  readonly spares: Spares;
  readonly cloning: <T>(work: () => Promise<T>) => Promise<T>;
  /** Makes room for another virtual machine; throws when that is impossible. */
  readonly makeRoom: (model: Model, image: ImageOnHost) => Promise<void>;
}

export interface VmMacs
  extends Pick<MacDriver, 'listMacs' | 'create' | 'start' | 'remove' | 'discardRecord' | 'saveRecord'> {
  /** A Mac is being created or started. */
  busy(): boolean;
}

/** Of the progress of a creation: the fetch of the image takes up to this percent, cloning up to the next. */
const FETCHED = 70;
const CLONED = 80;

export function createVmMacs(deps: VmMacsDeps): VmMacs {
  const { context, machines, spares } = deps;
  const { store, knowledge, blocks, limits, clock, log } = context;
  const going = new Set<string>();
  let lastSeen: readonly Vm[] | null = null;

  const during = async (work: () => Promise<void>) => {
    const id = randomUUID();
    going.add(id);
    try {
      await work();
    } finally {
      going.delete(id);
      void spares.keep();
    }
  };

  /** Returns the name of the slot's new virtual machine, which is not booted. */
  const make = async (mac: NewMac, percent: Percent): Promise<string> => {
    let release = () => {};
    try {
      const { model, image } = await modelOf(deps, mac, percent);
      release = deps.images.hold(image.digest);
      percent(FETCHED);
      const name = await claim(deps, mac.slot_id, model, image);
      knowledge.rememberModel(model);
      return name;
    } catch (error) {
      if (error instanceof VmToolError) blocks.report(error, await context.freeBytes());
      throw error;
    } finally {
      release();
    }
  };

  const remove = async (slotId: string) => {
    const slot = store.readSlot(slotId);
    if (slot !== null) {
      store.writeSlot(slotId, { ...slot, record: null });
      await machines.destroy(slot.vm);
    }
    await store.removeSlot(slotId);
  };

  return {
    async listMacs() {
      const answered = machines.list().then(
        (found) => {
          lastSeen = found;
        },
        // Assume that Macs still run while the tool does not answer. The host is blocked meanwhile.
        (error: unknown) => log.error({ err: error }, 'cannot list the virtual machines of this host'),
      );
      await within(answered, clock, limits.answerMs, undefined);
      return store.slots().map((slotId) => hostMacOf(slotId, context, lastSeen));
    },
    create: (mac, percent) =>
      during(async () => {
        if (store.readSlot(mac.slot_id) !== null) await remove(mac.slot_id);
        const name = await make(mac, percent);
        percent(CLONED);
        await machines.boot(name);
      }),
    start: (slotId) =>
      during(async () => {
        const slot = store.readSlot(slotId);
        if (slot === null) throw new Error('there is no Mac in this slot');
        await machines.boot(slot.vm);
      }),
    remove,
    async discardRecord(slotId) {
      const slot = store.readSlot(slotId);
      if (slot !== null) store.writeSlot(slotId, { ...slot, record: null });
    },
    async saveRecord(slotId, record) {
      const slot = store.readSlot(slotId);
      if (slot === null) throw new Error('there is no Mac in this slot');
      store.writeSlot(slotId, { ...slot, record });
    },
    busy: () => going.size > 0,
  };
}

/** Returns what the Mac is made from, after fetching the image if need be. */
async function modelOf(
  { context, images }: VmMacsDeps,
  mac: NewMac,
  percent: Percent,
): Promise<{ model: Model; image: ImageOnHost }> {
  if (mac.image === null) {
    throw new NotInstalledError(
      'the tier has no image, which hosts with virtual machines need: set one with cidermill admin tier edit … --image REF',
    );
  }
  const { image: ref, image_digest: digest = null } = mac;
  const image = await images.ensure({ ref, digest }, (fetch) => {
    const { percent: fetched, bytes, totalBytes } = fetch;
    percent((fetched * FETCHED) / 100, { percent: Math.floor(fetched), bytes, total_bytes: totalBytes });
  });
  const unusable = context.knowledge.unusable(image.digest);
  if (unusable !== null) throw new NotInstalledError(`${ref} cannot be used: ${unusable.text}`);
  const size = {
    cpuCores: mac.cpu_cores ?? null,
    memoryGb: mac.memory_gb ?? null,
    diskGb: mac.disk_gb ?? null,
  };
  return { model: { image: ref, digest: image.digest, size }, image };
}

/** Takes a spare or clones the image, and records it as the slot's before it exists. Returns its name. */
function claim(deps: VmMacsDeps, slotId: string, model: Model, image: ImageOnHost): Promise<string> {
  const { store, settings, clock, log } = deps.context;
  return deps.cloning(async () => {
    const existing = new Set((await deps.machines.list()).map((vm) => vm.name));
    const spare = deps.spares.take(model, existing);
    if (spare) {
      store.writeSlot(slotId, { vm: spare.name, record: null });
      log.info({ slot_id: slotId, vm: spare.name }, 'a spare virtual machine becomes a Mac');
      return spare.name;
    }
    await deps.makeRoom(model, image);
    const name = newVmName(settings.name_prefix);
    const fresh = { prepared: false, booting: false, guest: null, madeAt: clock.now(), failedBoots: 0 };
    store.write({ name, purpose: 'mac', ...model, ...fresh });
    store.writeSlot(slotId, { vm: name, record: null });
    await deps.machines.make(name);
    return name;
  });
}

/** @param vms null: unknown; every Mac is assumed to run */
function hostMacOf(slot_id: string, { store }: VmContext, vms: readonly Vm[] | null): HostMac {
  const slot = store.readSlot(slot_id);
  const file = slot && store.read(slot.vm);
  if (!slot?.record || !file) return { slot_id, record: null };
  const known = { slot_id, record: slot.record, image_digest: file.digest };
  if (vms === null) return known;
  const vm = vms.find((one) => one.name === slot.vm);
  if (!vm) return { slot_id, record: null };
  return {
    ...known,
    stopped: file.booting || vm.state === 'stopped' || vm.state === 'suspended',
  };
}
