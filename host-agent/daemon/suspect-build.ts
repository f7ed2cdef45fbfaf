// Detects builds that may have tampered with the agent: the attempt's folder was changed, or the build process was killed
// or stopped. Other changes in the Mac are unknown, so the Mac is recreated. Builds in virtual machines cannot reach the agent:
// their Macs stay.

import type { Clock } from '../../shared/clock.js';
import { isVirtual } from '../../shared/drivers.js';
import type { Log } from '../../shared/log.js';
import { pause } from '../../shared/pause.js';
import type { BuildResult } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import type { MacDriver } from '../driver/driver.js';
import type { MacReconciler } from './macs/mac-reconciler.js';
import type { BuildSupervisor } from './supervisor.js';

/** A failure that no build causes: the disk of the host is full. */
const INNOCENT: ReadonlySet<string | null> = new Set(['host_disk_full']);
/** During a shutdown, this daemon gets SIGTERM at most this long after the build processes. */
const SHUTDOWN_MS = 2_000;

/** Returns whether a result is suspect. For `mac_lost` the caller also checks that the machine is not shutting down. */
export function isSuspect({ step, reason_code }: Pick<BuildResult, 'step' | 'reason_code'>): boolean {
  return step === 'platform' && !INNOCENT.has(reason_code);
}

/**
 * Returns a function that deletes the record of an ended build's Mac, while the Mac is idle, if the build is suspect. Macs
 * without a record are recreated, by this daemon or the next one.
 */
export function createSuspectMacs(deps: {
  macs: Pick<MacReconciler, 'whileIdle'>;
  driver: Pick<MacDriver, 'kind' | 'discardRecord'>;
  builds: Pick<BuildSupervisor, 'isOfThisBoot'>;
  /** True after this daemon was asked to stop. */
  stopping: () => boolean;
  clock: Clock;
  log: Log;
}): (ref: AttemptRef, slotId: string | null, result: BuildResult) => void {
  const { macs, driver, builds, stopping, clock, log } = deps;
  /** Waits for a stop request of this daemon, because a build can send the signal of a shutdown itself. */
  const shutsDown = async (ref: AttemptRef) => {
    if (!(await builds.isOfThisBoot(ref))) return true;
    await pause(clock, SHUTDOWN_MS);
    return stopping();
  };
  return (ref, slotId, result) => {
    if (slotId === null || isVirtual(driver.kind) || !isSuspect(result)) return;
    const { reason_code, summary } = result;
    const discard = async () => {
      if (reason_code === 'mac_lost' && (await shutsDown(ref))) return;
      log.warn({ ...ref, slot_id: slotId, reason_code, summary }, 'suspect build; recreating its Mac');
      await driver.discardRecord(slotId);
    };
    macs
      .whileIdle(slotId, discard)
      .catch((error: unknown) => log.error({ err: error, slot_id: slotId }, 'cannot recreate the Mac'));
  };
}
