// What a person is told when the host itself could not do its part.
import { BuildStepError } from '../contract/build-step-error.js';
import { errnoOf } from '../system/errno.js';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The disk of the host has no room. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof BuildStepError) return error.reasonCode === 'host_disk_full';
  return FULL.has(errnoOf(error) ?? '');
}

export function hostDiskFull(cause?: unknown): BuildStepError {
  return new BuildStepError(
    'source',
    'host_disk_full',
    'platform',
    'The disk of the host is full, so the sources could not be written.',
    { cause },
  );
}

/** A failed system call becomes a failure of the source step; any other error is returned as it is. */
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
    `The work folder could not be prepared: ${code}${call}.`,
    { cause: error },
  );
}
