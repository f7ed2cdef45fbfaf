// Spares: clean virtual machines like the Mac that was created last, cloned ahead and, where the limit of two leaves a place,
// booted, so that the next Mac is ready within seconds. No tenant has used them.
import { coalesce } from '../../system/coalesce.js';
import type { VmContext } from './context.js';
import type { Model } from './image-knowledge.js';
import type { Images } from './images.js';
import { type Machines, MOST_RUNNING } from './machines.js';
import { newVmName } from './vm-names.js';
import type { VmFile } from './vm-store.js';

export type Spares = ReturnType<typeof createSpares>;

export interface SparesDeps {
  readonly context: VmContext;
  readonly machines: Machines;
  readonly images: Pick<Images, 'wanted' | 'find'>;
  /** Runs work while nothing else is cloned. */
  readonly cloning: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns whether there is disk space for another one. */
  readonly hasRoom: (model: Model) => Promise<boolean>;
  /** A Mac is being created or started, which goes first. */
  readonly busy: () => boolean;
  readonly closed: () => boolean;
}

export const isLike = (vm: Model, { image, digest, size }: Model): boolean =>
  vm.image === image && vm.digest === digest && JSON.stringify(vm.size) === JSON.stringify(size);

export function createSpares(deps: SparesDeps) {
  const { context, machines } = deps;
  const { store, settings, log } = context;
  const all = () => store.names().flatMap((name) => store.read(name) ?? []);
  const spares = () => all().filter((vm) => vm.purpose === 'spare');

  const ending = new Set<Promise<void>>();
  /** Names of those that are being made or deleted. */
  const working = new Set<string>();
  const destroy = async (vm: VmFile) => {
    // Claimed first, so that it is not taken meanwhile.
    store.update(vm.name, { purpose: 'making' });
    working.add(vm.name);
    const gone = machines.destroy(vm.name);
    ending.add(gone);
    await gone.finally(() => {
      ending.delete(gone);
      working.delete(vm.name);
    });
  };

  const make = async (model: Model) => {
    const vm: VmFile = {
      name: newVmName(settings.name_prefix),
      purpose: 'making',
      ...model,
      prepared: false,
      booting: false,
      guest: null,
      madeAt: context.clock.now(),
      failedBoots: 0,
    };
    working.add(vm.name);
    store.write(vm);
    try {
      await machines.make(vm.name);
      store.update(vm.name, { purpose: 'spare' });
    } catch (error) {
      await machines.destroy(vm.name);
      throw error;
    } finally {
      working.delete(vm.name);
    }
    log.info({ vm: vm.name, image: vm.image }, 'cloned a spare');
  };

  /** Boots a spare if there is a place for it that no Mac needs now. */
  const bootOne = async () => {
    if (spares().length === 0) return;
    const places = Math.min(settings.slots, MOST_RUNNING);
    const running = (await machines.list()).filter((vm) => vm.state === 'running');
    if (running.length >= places || machines.booting() > 0 || deps.busy() || deps.closed()) return;
    const names = new Set(running.map((vm) => vm.name));
    const next = spares().find((vm) => !names.has(vm.name));
    if (next) await machines.boot(next.name);
  };

  const keep = async () => {
    if (deps.closed()) return;
    const { model, count } = await wantedSpares(deps);
    for (const vm of spares()) if (model === null || !isLike(vm, model)) await deps.cloning(() => destroy(vm));
    for (const vm of spares().slice(count)) await deps.cloning(() => destroy(vm));
    if (model !== null && spares().length < count) {
      await deps.cloning(async () => {
        if (deps.closed() || deps.busy() || spares().length >= count || !(await deps.hasRoom(model))) return;
        await make(model);
      });
    }
    await bootOne();
  };

  return {
    /**
     * Returns a spare like this, which then is the caller's; null: there is none. Call while nothing else is cloned.
     *
     * @param existing names of the virtual machines of this host: an operator may have deleted a spare
     */
    take(model: Model, existing: ReadonlySet<string>): VmFile | null {
      const fitting = spares().filter((vm) => existing.has(vm.name) && isLike(vm, model));
      const best = fitting.find((vm) => vm.prepared) ?? fitting[0];
      return best ? store.update(best.name, { purpose: 'mac' }) : null;
    },
    any: () => spares().length > 0,
    /** Returns whether one of this name is being made or deleted now. */
    isAtWork: (name: string) => working.has(name),
    /** Creates, boots and deletes spares as needed now. Logs its errors. */
    keep: coalesce(() =>
      keep().catch((error: unknown) => {
        if (!deps.closed()) log.warn({ err: error }, 'cannot keep a spare ready');
      }),
    ),
    /** Deletes one that runs, so that another virtual machine can. Returns false when there is none. */
    async makeWay() {
      const running = new Set((await machines.list()).flatMap((vm) => (vm.state === 'running' ? [vm.name] : [])));
      // Checked after listing: a deletion that began meanwhile gives the place.
      if (ending.size > 0) {
        await Promise.allSettled(ending);
        return true;
      }
      const one = spares().find((vm) => running.has(vm.name));
      if (!one) return false;
      log.info({ vm: one.name }, 'deleting a spare, because a Mac needs its place');
      await destroy(one);
      return true;
    },
    /** Deletes all, to free disk space, and waits for those that are being deleted. Returns whether there were any. */
    async giveUp() {
      const given = spares();
      const before = [...ending];
      for (const vm of given) await destroy(vm);
      await Promise.allSettled(before);
      return given.length + before.length > 0;
    },
  };
}

/** Returns what spares should be like, and how many: as the last Mac, or one of an image that has to be inspected. */
async function wantedSpares({ context, images }: SparesDeps): Promise<{ model: Model | null; count: number }> {
  const { knowledge, settings, blocks } = context;
  const wanted = images.wanted();
  const last = knowledge.lastModel();
  // A blocked host tries with a spare whether it can start virtual machines again.
  const count = blocks.liftedBy() === 'start' ? Math.max(1, settings.warm_spares) : settings.warm_spares;
  if (wanted === null) return { model: last, count };
  for (const { image, digest } of wanted) {
    if (digest === null || knowledge.guestOf(digest) !== null || knowledge.unusable(digest) !== null) continue;
    if ((await images.find(image, digest)) === null) continue;
    return { model: { image, digest, size: { cpuCores: null, memoryGb: null, diskGb: null } }, count: 1 };
  }
  const named =
    last !== null &&
    wanted.some(({ image, digest }) => image === last.image && (digest ?? last.digest) === last.digest);
  const usable = named && knowledge.unusable(last.digest) === null;
  return { model: usable ? last : null, count };
}
