// One upgrade at a time per machine: the daemon's, or an operator's.
import { upgradeError } from '../../shared/messages/upgrade-errors.js';
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
    const { pid } = error;
    const why = pid === null ? upgradeError('another_upgrade_unknown') : upgradeError('another_upgrade', { pid });
    throw new InstallError(why, TRY_LATER, { cause: error });
  }
}
