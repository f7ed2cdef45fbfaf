// Brings the Mac of a tenant back to work without a new virtual machine.
import { runInGuest } from '../../guest/run.js';
import { removeTree } from '../../system/remove-tree.js';
import type { MacDriver } from '../driver.js';
import { GUEST_ROOT, type GuestAccess } from '../guest-access.js';
import { stagingOf } from '../guest-staging.js';
import type { VmContext } from './context.js';
import type { Machines } from './machines.js';

/** @param open throws VmLostError when the slot's virtual machine does not run */
export function vmWork(
  { store, settings }: VmContext,
  machines: Machines,
  open: (slotId: string) => Promise<GuestAccess>,
): Pick<MacDriver, 'emptyWork' | 'repair'> {
  /** Nothing that runs in the guest survives, whatever it has become. */
  const restart = async (slotId: string) => {
    const slot = store.readSlot(slotId);
    if (slot === null) throw new Error('there is no Mac in this slot');
    await machines.shutDown(slot.vm);
    await machines.boot(slot.vm);
  };
  const removeWork = async (slotId: string) => {
    const { state, work } = stagingOf(settings.data_dir, slotId);
    // The state first: it must never describe more than what exists.
    for (const folder of [state, work]) await removeTree(folder);
    await removeInGuest(await open(slotId), GUEST_ROOT);
  };
  return {
    async emptyWork(slotId) {
      await restart(slotId);
      await removeWork(slotId);
    },
    async repair(slotId) {
      await restart(slotId);
      await removeWork(slotId);
    },
  };
}

/** Deletes a folder in the guest, even if a build has locked it. */
async function removeInGuest(
  { transport }: GuestAccess,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const script =
    'rm -rf -- "$1" 2>/dev/null || sudo -n /bin/sh -c \'chflags -R nouchg "$1"; rm -rf -- "$1"\' sh "$1"';
  const call = { timeoutMs: REMOVE_MS, signal };
  const { status, stderr } = await runInGuest(transport, ['/bin/sh', '-c', script, 'sh', folder], call);
  if (status !== 0) throw new Error(`a folder of the guest cannot be deleted: ${stderr.slice(0, 200)}`);
}

const REMOVE_MS = 60_000;
