import { isErrno } from '../../shared/errno.js';

/** Sends a signal to every process of a group. Ignores a group that has exited. */
export function killGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}
