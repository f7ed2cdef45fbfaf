// One upgrade at a time per machine: the daemon's, or an operator's.
import { LockedError, takeLock } from '../system/lock.js';
import { InstallError, TRY_LATER } from './install-error.js';
import type { ProgramPaths } from './paths.js';

/**
 * Returns a function that releases the lock.
 *
 * @throws InstallError while another process holds it; the lock of a dead process is taken
 */
export function lockUpgrades({ root }: ProgramPaths): () => void {
  try {
    return takeLock(root).release;
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new InstallError(`another upgrade is running (process ${error.pid})`, TRY_LATER, { cause: error });
  }
}
