// Exit codes.
import { type CidermillError, UNREACHABLE } from '../cidermill-error.js';
import type { Build } from '../types.js';

export const EXIT_OK = 0;
/** The command line, or what it names, is wrong. */
export const EXIT_USAGE = 64;
export const EXIT_UNREACHABLE = 69;
export const EXIT_OTHER = 70;
/** The same command can succeed later. */
export const EXIT_TRY_LATER = 75;
export const EXIT_NOT_PERMITTED = 77;
export const EXIT_TIMEOUT = 124;
export const EXIT_CANCELLED = 130;

/** Codes for invalid values and for things that do not exist. */
const REQUEST_IS_WRONG: ReadonlySet<number> = new Set([400, 404, 410, 413, 415]);

/** Exit code for a request that failed. */
export function exitCodeOfError(error: CidermillError): number {
  if (error.code === UNREACHABLE) return EXIT_UNREACHABLE;
  if (error.status === 401 || error.status === 403) return EXIT_NOT_PERMITTED;
  if (error.retryable) return EXIT_TRY_LATER;
  const wrong = REQUEST_IS_WRONG.has(error.status) || error.code.startsWith('invalid_');
  return wrong ? EXIT_USAGE : EXIT_OTHER;
}

/** Exit code for a build that has ended: its own when it ended with one. */
export function exitCodeOfBuild(build: Pick<Build, 'status' | 'end_reason' | 'exit_code'>): number {
  if (build.status === 'succeeded') return EXIT_OK;
  if (build.status === 'cancelled') return EXIT_CANCELLED;
  if (build.end_reason === 'timeout') return EXIT_TIMEOUT;
  if (build.status === 'failed' && build.end_reason !== 'platform_error') return build.exit_code || EXIT_OTHER;
  return EXIT_OTHER;
}
