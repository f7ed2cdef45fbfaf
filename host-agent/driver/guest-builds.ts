// What the daemon needs of builds in virtual machines.
import { removeGuestRun } from '../guest/folders.js';
import { signalGuestBuild } from '../guest/processes.js';
import type { MacDriver } from './driver.js';
import { GUEST_ROOT, type GuestAccess, VmLostError } from './guest-access.js';

/** The folder in a guest that holds a folder for each build. */
export const GUEST_RUNS = `${GUEST_ROOT}/run`;

const REMOVE_MS = 60_000;
const SIGNAL_MS = 20_000;

/**
 * Returns this part of a driver for virtual machines. A virtual machine that does not run has no processes; files in it
 * are deleted before the next build.
 *
 * @param open throws VmLostError when the virtual machine of the slot does not run
 */
export function guestBuilds(
  open: (slotId: string) => Promise<GuestAccess>,
): Pick<MacDriver, 'runs' | 'removeRun' | 'signal'> {
  const ifRunning = async <T>(slotId: string, work: (access: GuestAccess) => Promise<T>, otherwise: T) => {
    try {
      return await work(await open(slotId));
    } catch (error) {
      if (error instanceof VmLostError) return otherwise;
      throw error;
    }
  };
  return {
    runs: () => GUEST_RUNS,
    removeRun: (slotId, name, signal) =>
      ifRunning(
        slotId,
        async ({ transport }) => {
          await removeGuestRun(transport, GUEST_ROOT, name, { timeoutMs: REMOVE_MS, signal });
        },
        undefined,
      ),
    signal: (slotId, { mark }, signal) =>
      ifRunning(
        slotId,
        ({ transport }) => {
          // Only one build at a time runs in a Mac, so no other build uses a work folder.
          const build = { mark, script: null, work: `${GUEST_ROOT}/work` };
          return signalGuestBuild(transport, build, signal, { timeoutMs: SIGNAL_MS });
        },
        0,
      ),
  };
}
