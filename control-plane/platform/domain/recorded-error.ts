// An entry in an account's list of errors: a failed API request or a failed build.
import type { Fault } from './errors/row.js';
import { int, type RecordOf, text } from './fields.js';
import { storedMessage } from './stored-message.js';

export type RecordedFault = Fault | 'customer' | 'unknown';

export const recordedErrorFields = {
  /** Increases with time. */
  id: int().assigned,
  accountId: int(),
  keyId: text().orNull,
  keyName: text().orNull,
  kind: text<'api' | 'build'>(),
  at: int(),
  code: text(),
  httpStatus: int().orNull,
  fault: text<RecordedFault>(),
  message: text(),
  /** Of a failed build: the message as a code with values. Null for others, and of older versions. */
  failureMessage: storedMessage().orNull.initially(null),
  requestId: text().orNull,
  method: text().orNull,
  path: text().orNull,
  buildId: text().orNull,
  reasonCode: text().orNull,
};
export type RecordedError = RecordOf<typeof recordedErrorFields>;

export interface ErrorFilter {
  readonly fault: string | null;
  readonly code: string | null;
  readonly kind: string | null;
  readonly since: number | null;
  readonly keyId: string | null;
  /** Only errors with smaller ids. */
  readonly before: number | null;
  readonly limit: number;
}
