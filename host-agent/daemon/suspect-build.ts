// A build that reached what is not for builds, or may have: the attempt's folder was changed, or its process was killed or
// stopped. What else it did is unknown, so its Mac is made anew.
import type { Log } from '../../shared/log.js';
import type { BuildResult } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import type { MacDriver } from '../driver/driver.js';
import type { MacReconciler } from './macs/mac-reconciler.js';

/** Ends that have nothing to do with the build: the machine was restarted, or its disk is full. */
const INNOCENT: ReadonlySet<string | null> = new Set(['mac_lost', 'host_disk_full']);

export function isSuspect({ step, reason_code }: Pick<BuildResult, 'step' | 'reason_code'>): boolean {
  return step === 'platform' && !INNOCENT.has(reason_code);
}

/**
 * Returns a function that has the Mac of an ended build made anew if the build is suspect. Without its record the Mac
 * counts as never completed, also for the next daemon.
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
    log.warn({ ...ref, slot_id: slotId, reason_code, summary }, 'a build is suspect; its Mac is made anew');
    macs
      .whileIdle(slotId, () => driver.discardRecord(slotId))
      .catch((error: unknown) => log.error({ err: error, slot_id: slotId }, 'cannot make a Mac anew'));
  };
}
