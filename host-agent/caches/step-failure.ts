// Maps errors of the host to failures of the source step.

import { errnoOf } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { BuildStepError } from '../contract/build-step-error.js';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Returns whether the host's disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof BuildStepError) return error.reasonCode === 'host_disk_full';
  return FULL.has(errnoOf(error) ?? '');
}

export function hostDiskFull(cause?: unknown): BuildStepError {
  return new BuildStepError('source', 'host_disk_full', 'platform', hostFailure('host_disk_full_for_sources'), {
    cause,
  });
}

/** Returns a BuildStepError for a failed system call; other errors are returned unchanged. */
export function stepFailure(error: unknown): unknown {
  if (error instanceof BuildStepError) return error;
  if (isDiskFull(error)) return hostDiskFull(error);
  const code = errnoOf(error);
  if (code === undefined) return error;
  const call = error instanceof Error && 'syscall' in error ? ` in ${String(error.syscall)}` : '';
  return new BuildStepError(
    'source',
    'workspace_failed',
    'platform',
    hostFailure('work_folder_not_prepared', { reason: `${code}${call}` }),
    { cause: error },
  );
}
