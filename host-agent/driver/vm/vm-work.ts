// Starts, empties and resets a tenant's Mac without a new virtual machine.
import { removeInGuest } from '../../guest/folders.js';
import { keepCachesOnly } from '../../guest/software/baseline.js';
import { removeTree } from '../../system/remove-tree.js';
import { type MacDriver, NewMacNeededError } from '../driver.js';
import { GUEST_ROOT, type GuestAccess } from '../guest-access.js';
import { stagingOf } from '../guest-staging.js';
import type { VmContext } from './context.js';
import { setGuestClock } from './guest-clock.js';
import type { Machines } from './machines.js';

/** Everything of builds in a guest. */
const WORK = ['work', 'state', 'run', 'tmp'].map((name) => `${GUEST_ROOT}/${name}`);

/** @param open throws VmLostError when the slot's virtual machine does not run */
export function vmWork(
  { store, knowledge, settings, limits, software, clock, log }: VmContext,
  machines: Machines,
  open: (slotId: string) => Promise<GuestAccess>,
): Pick<MacDriver, 'emptyWork' | 'repair'> {
  const vmOf = (slotId: string) => {
    const slot = store.readSlot(slotId);
    const vm = slot && store.read(slot.vm);
    if (!vm) throw new Error('there is no Mac in this slot');
    return vm;
  };
  /** The sources of builds on this host: the state first, which must never describe more than what exists. */
  const removeStaging = async (slotId: string) => {
    const { state, work } = stagingOf(settings.data_dir, slotId);
    for (const folder of [state, work]) await removeTree(folder);
  };

  return {
    async emptyWork(slotId) {
      const baseline = knowledge.baseline(vmOf(slotId).digest);
      if (baseline === null) {
        throw new NewMacNeededError('the home folder of this image was not recorded');
      }
      const { transport } = await open(slotId);
      await removeStaging(slotId);
      const found = await keepCachesOnly(transport, baseline, { ...software, work: WORK });
      // A build may have set the clock, and with a wrong one no later build can connect over TLS.
      await setGuestClock({ clock, limits, log }, transport);
      log.info({ slot_id: slotId, ...found }, 'reset a Mac and kept its caches');
    },
    async repair(slotId) {
      const { name } = vmOf(slotId);
      // A restart ends all processes of the guest, including those that cannot be killed.
      await machines.shutDown(name);
      await machines.boot(name);
      await removeStaging(slotId);
      const { transport } = await open(slotId);
      await removeInGuest(transport, GUEST_ROOT, { timeoutMs: limits.bootMs, clock });
    },
  };
}
