// The operating system limits the arguments and environment of a new process: about 1 MiB together on macOS; on Linux
// a quarter of the stack limit, and 128 KiB per variable.

import { isErrno } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { BuildSecret } from '../../shared/protocol/index.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { WrapperNotStarted } from './terminal.js';

/** With secrets of this size, a shell that does not start has no other explanation. */
const MOST_TOTAL_BYTES = 900 * 1024;
const MOST_VARIABLE_BYTES = 128 * 1024;
const NAMED = 3;

/**
 * Returns the build's failure if its shell could not be started because the secrets exceed the environment limit;
 * otherwise returns the error unchanged.
 */
export function explainNotStarted(error: unknown, secrets: readonly BuildSecret[]): unknown {
  if (error instanceof BuildStepError) return error;
  const sizes = secrets
    .filter(({ encoding }) => encoding === undefined)
    .map(({ name, value }) => ({ name, bytes: name.length + Buffer.byteLength(value) + 2 }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const isTooLarge = total > MOST_TOTAL_BYTES || (sizes[0]?.bytes ?? 0) > MOST_VARIABLE_BYTES;
  const isNotStarted = error instanceof WrapperNotStarted || isSpawnError(error);
  if (!saysSo(error) && !(isTooLarge && isNotStarted)) return error;
  const largest = sizes.slice(0, NAMED).map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  const message =
    largest.length === 0
      ? hostFailure('environment_too_large', { bytes: total })
      : hostFailure('environment_too_large_by', { bytes: total, largest: largest.join(', ') });
  return new BuildStepError('script', 'environment_too_large', 'customer', message, { cause: error });
}

/** The error of exec (E2BIG), or node-pty's message for it. */
const saysSo = (error: unknown): boolean =>
  isErrno(error, 'E2BIG') || (error instanceof Error && /\bE2BIG\b|Argument list too long/.test(error.message));

/** node-pty's error, which has no code: `forkpty(3) failed.`, `posix_spawn failed`. */
const isSpawnError = (error: unknown): boolean =>
  error instanceof Error && /forkpty|posix_spawn|exec/.test(error.message);
