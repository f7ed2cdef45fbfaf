// A build whose Mac could not be prepared for it: the Mac takes no builds until it is repaired, and the build waits
// again, once (docs/adr/0027-a-work-folder-for-each-source.md).
import type { BuildResult } from '../../../shared/build.js';
import type { Build } from './build.js';

/**
 * Whether an attempt failed before its script began because of the folders or the disk of its Mac, so that the next
 * build there would fail in the same way.
 */
export function isFailedStart(
  result: Pick<BuildResult, 'outcome' | 'fault' | 'step' | 'reason_code' | 'script_started_at'>,
): boolean {
  if (result.outcome !== 'failed' || result.fault !== 'platform' || result.script_started_at !== null)
    return false;
  return (
    result.step === 'prepare' ||
    result.reason_code === 'workspace_failed' ||
    result.reason_code === 'host_disk_full'
  );
}

/** Whether the build may wait for a Mac again: not a second time, and not when it is to be stopped. */
export function mayStartAgain(build: Pick<Build, 'startRetried' | 'stopReason'>): boolean {
  return !build.startRetried && build.stopReason === null;
}
