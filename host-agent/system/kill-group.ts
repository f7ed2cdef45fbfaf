import { errnoOf } from './errno.js';

/** Signals every process of a group; one that has ended already is fine. */
export function killGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}
