// An error that an account has met, as it is listed: a failed API request or a failed build.
import type { Fault } from './error-catalog.js';

export type RecordedFault = Fault | 'customer' | 'unknown';

export interface RecordedError {
  /** Ascending with time. */
  readonly id: number;
  readonly accountId: number;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly kind: 'api' | 'build';
  readonly at: number;
  readonly code: string;
  readonly httpStatus: number | null;
  readonly fault: RecordedFault;
  readonly message: string;
  readonly requestId: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly buildId: string | null;
  readonly reasonCode: string | null;
}

export interface ErrorFilter {
  readonly fault: string | null;
  readonly code: string | null;
  readonly kind: string | null;
  readonly since: number | null;
  readonly keyId: string | null;
  /** Only errors older than this id. */
  readonly before: number | null;
  readonly limit: number;
}
