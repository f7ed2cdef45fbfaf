// Decides the repair of a Mac on which a build could not be prepared (docs/adr/0027-a-work-folder-for-each-source.md).
import type { Limits } from '../../platform/domain/limits.js';
import type { Machine } from './mac.js';

export type RepairLimits = Pick<Limits, 'repair_delay_ms' | 'repair_delay_max_ms'>;

type Repaired = Pick<Machine, 'generation' | 'revision' | 'repairs'>;

/** Its folders, then the whole Mac. */
const REPAIRS_OF_ONE_HOST = 2;

/**
 * Returns the changes to a Mac on which a build could not be prepared. The first repair, of its folders, begins at once.
 * If that did not help, the cause may lie outside the Mac's folders, so that every build would fail there: further
 * repairs are delayed, each twice as long as the one before.
 */
export function planRepair(mac: Repaired, now: number, limits: RepairLimits) {
  if (mac.repairs === 0) {
    return { revision: mac.revision + 1, repairing: true, repairs: 1, prepareFailed: false };
  }
  const delay = limits.repair_delay_ms * 2 ** Math.min(mac.repairs - 1, 30);
  return {
    repairing: true,
    repairs: mac.repairs + 1,
    repairAt: now + Math.min(delay, limits.repair_delay_max_ms),
    // If a recreated Mac fails again, its host is at fault: move the Mac to another host, if there is one. The first
    // move is not delayed; later ones are, because several hosts may have the same fault.
    prepareFailed: mac.repairs === REPAIRS_OF_ONE_HOST,
  };
}

/** Returns the changes to a Mac whose delay is over: the whole Mac is recreated. */
export function delayedRepair(mac: Repaired) {
  return {
    generation: mac.generation + 1,
    revision: mac.revision + 1,
    repairAt: null,
    prepareFailed: mac.repairs > REPAIRS_OF_ONE_HOST,
  };
}
