// A build whose Mac could not be prepared: the Mac takes no builds until it is repaired, and the build is requeued once
// (docs/adr/0027-a-work-folder-for-each-source.md).
import type { BuildResult } from '../../../shared/build.js';
import type { Build } from './build.js';

/**
 * Returns whether an attempt failed before its script began because of its Mac's folders or disk, so that the next
 * build there would fail too.
 */
export function isFailedStart(
  result: Pick<BuildResult, 'outcome' | 'fault' | 'step' | 'reason_code' | 'script_started_at'>,
): boolean {
  if (result.outcome !== 'failed' || result.fault !== 'platform' || result.script_started_at !== null) return false;
  return (
    result.step === 'prepare' || result.reason_code === 'workspace_failed' || result.reason_code === 'host_disk_full'
  );
}

/** Returns whether the build may be requeued: only once, and not if it is being stopped. */
export function mayStartAgain(build: Pick<Build, 'startRetried' | 'stopReason'>): boolean {
  return !build.startRetried && build.stopReason === null;
}
