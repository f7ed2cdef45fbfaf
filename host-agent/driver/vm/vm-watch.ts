// The periodic work of a driver of virtual machines: notices Macs that were switched off, removes leftovers, keeps spares,
// and checks whether a blocked host can create Macs again.
import type { Timer } from '../../../shared/clock.js';
import { coalesce } from '../../system/coalesce.js';
import { within } from '../../system/within.js';
import type { DriverWatch } from '../driver.js';
import type { VmContext } from './context.js';
import { setGuestClock } from './guest-clock.js';
import type { Images } from './images.js';
import { type Machines, MOST_RUNNING } from './machines.js';
import { otherPrefixes } from './name-claim.js';
import type { Spares } from './spares.js';
import type { Vm } from './tool.js';
import { transportOf } from './vm-guest.js';
import { isOwnName } from './vm-names.js';

export interface VmWatchDeps {
  readonly context: VmContext;
  readonly machines: Machines;
  readonly images: Images;
  readonly spares: Spares;
  /** Runs work while nothing is cloned. */
  readonly cloning: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns whether there is disk space for the next Mac. */
  readonly hasRoom: () => Promise<boolean>;
  /** Called when a Mac has started or stopped running. */
  readonly macsChanged: () => void;
}

/** A host without disk space tries again once this much more is free. */
const LIFTING_BYTES = 2 ** 30;

/** A closing driver waits this long for work in progress. */
const CLOSING_MS = 5_000;

/** If the time of day is off by this much after a timer, the host has slept, or its clock was corrected. */
const SLEPT_MS = 30_000;

export function watchVms(deps: VmWatchDeps): DriverWatch {
  const { context, machines, images, spares } = deps;
  const { clock, limits, log, blocks } = context;
  const sweep = createSweep(deps);
  let closed = false;
  let keeping: Promise<void> = Promise.resolve();
  let seen = '';
  let expected = clock.now();
  let probed = clock.monotonic();

  const lookOnce = async () => {
    const slept = Math.abs(clock.now() - expected) > SLEPT_MS;
    const vms = await machines.list();
    if (closed) return;
    const states = vms.map(({ name, state }) => `${name} ${state}`).join('\n');
    if (states !== seen) deps.macsChanged();
    seen = states;
    if (slept) await setClocks(context, vms);
    if (closed) return;
    await sweep.run(vms);
    if (closed) return;
    await images.evict();
    await lift(vms);
    if (closed || (blocks.liftedBy() === 'start' && !isDue())) return;
    // Not awaited: a spare that boots takes minutes.
    keeping = spares.keep().then(() => {
      // Without a spare, only the next Mac can show whether the host is still blocked.
      if (blocks.liftedBy() === 'start' && !spares.any()) blocks.lift('start');
    });
  };

  /** Attempts to start a spare on a blocked host. */
  const isDue = () => {
    const due = clock.monotonic() - probed >= limits.blockedProbeMs;
    if (due) probed = clock.monotonic();
    return due;
  };

  const lift = async (vms: readonly Vm[]) => {
    const by = blocks.liftedBy();
    const isSpare = (name: string) => context.store.read(name)?.purpose === 'spare';
    const staying = vms.filter((vm) => vm.state === 'running' && !isSpare(vm.name));
    if (by === 'place' && staying.length < MOST_RUNNING) blocks.lift('place');
    if (by !== 'room') return;
    const grown = (await context.freeBytes()) - blocks.freeBytes();
    if (grown >= LIFTING_BYTES && (await deps.hasRoom())) blocks.lift('room');
  };

  const run = coalesce(async () => {
    timer.cancel();
    if (closed) return;
    await lookOnce().catch((error: unknown) => {
      if (!closed) log.error({ err: error }, 'cannot check the virtual machines of this host');
    });
    expected = clock.now() + limits.watchMs;
    if (!closed) timer = clock.setTimeout(look, limits.watchMs);
  });
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = run();
  };
  let timer: Timer = clock.setTimeout(look, 0);

  return {
    async close() {
      closed = true;
      timer.cancel();
      // A closed driver keeps no spares, so this only waits for work in progress.
      const going = Promise.all([images.close(), looking, keeping, spares.keep(), sweep.idle()]);
      await within(going, clock, CLOSING_MS, null);
    },
  };
}

interface Leftovers {
  /** Virtual machines that are neither a Mac nor a spare. */
  readonly vms: readonly string[];
  /** Records without a virtual machine. */
  readonly records: readonly string[];
}

/**
 * Deletes what is left over of this agent's virtual machines. One that cannot be deleted does not stop the others; it is
 * tried again at the next look. Virtual machines are deleted beside a clone, which can take minutes: a Mac is recorded before
 * it exists. A spare that has just been cloned may be missing in an earlier list, so records wait until nothing is cloned.
 */
function createSweep({ context, machines, spares, cloning }: VmWatchDeps) {
  const remove = async (names: readonly string[]) => {
    for (const name of names) {
      if (context.closing.aborted) return;
      context.log.warn({ vm: name }, 'removing the leftovers of a virtual machine');
      await machines.destroy(name).catch((error: unknown) => {
        context.log.error({ err: error, vm: name }, 'cannot remove the leftovers of a virtual machine');
      });
    }
  };
  const removeRecords = coalesce(() =>
    cloning(async () => remove(leftovers(context, spares, await context.tool.list()).records)).catch(
      (error: unknown) => {
        if (!context.closing.aborted) context.log.error({ err: error }, 'cannot remove records of virtual machines');
      },
    ),
  );
  let removing: Promise<void> = Promise.resolve();
  return {
    /** @param seen the virtual machines of the host */
    async run(seen: readonly Vm[]): Promise<void> {
      const { vms, records } = leftovers(context, spares, seen);
      if (records.length > 0) removing = removeRecords();
      await remove(vms);
    },
    /** Resolves when nothing is being removed. */
    idle: () => removing,
  };
}

function leftovers(
  { tool, settings, store }: VmContext,
  spares: Pick<Spares, 'isAtWork'>,
  listed: readonly Vm[],
): Leftovers {
  const vms = new Set(listed.map((vm) => vm.name));
  const used = new Set(store.recordedVms());
  const others = otherPrefixes(tool.kind, settings);
  const isLeft = (name: string) =>
    isOwnName(settings.name_prefix, name, others) && !used.has(name) && !spares.isAtWork(name);
  const isSpare = (name: string) => store.read(name)?.purpose === 'spare';
  return {
    vms: [...vms].filter((name) => isLeft(name) && !isSpare(name)),
    records: store.names().filter((name) => isLeft(name) && !vms.has(name)),
  };
}

/** Sets the clocks of all guests, which stood still while this host slept. */
async function setClocks(context: VmContext, vms: readonly Vm[]): Promise<void> {
  for (const { name, state } of vms) {
    const vm = context.store.read(name);
    if (state !== 'running' || vm === null || vm.guest === null || vm.booting) continue;
    await setGuestClock(context, transportOf(context, vm)).catch((error: unknown) => {
      context.log.warn({ err: error, vm: name }, 'cannot set the clock of a guest');
    });
  }
}
