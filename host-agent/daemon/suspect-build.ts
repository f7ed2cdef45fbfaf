// Detects builds that may have tampered with the agent: the attempt's folder was changed, or the build process was killed
// or stopped. Other changes in the Mac are unknown, so the Mac is recreated.
import type { Log } from '../../shared/log.js';
import type { BuildResult } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import type { MacDriver } from '../driver/driver.js';
import type { MacReconciler } from './macs/mac-reconciler.js';

/** Failures that no build causes: the machine was restarted, or its disk is full. */
const INNOCENT: ReadonlySet<string | null> = new Set(['mac_lost', 'host_disk_full']);

export function isSuspect({ step, reason_code }: Pick<BuildResult, 'step' | 'reason_code'>): boolean {
  return step === 'platform' && !INNOCENT.has(reason_code);
}

/**
 * Returns a function that deletes the record of an ended build's Mac, while the Mac is idle, if the build is suspect. Macs
 * without a record are recreated, by this daemon or the next one.
 */
export function createSuspectMacs(deps: {
  macs: Pick<MacReconciler, 'whileIdle'>;
  driver: Pick<MacDriver, 'discardRecord'>;
  log: Log;
}): (ref: AttemptRef, slotId: string | null, result: BuildResult) => void {
  const { macs, driver, log } = deps;
  return (ref, slotId, result) => {
    if (slotId === null || !isSuspect(result)) return;
    const { reason_code, summary } = result;
    log.warn({ ...ref, slot_id: slotId, reason_code, summary }, 'suspect build; recreating its Mac');
    macs
      .whileIdle(slotId, () => driver.discardRecord(slotId))
      .catch((error: unknown) => log.error({ err: error, slot_id: slotId }, 'cannot recreate the Mac'));
  };
}
