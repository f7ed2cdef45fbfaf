// What an example line of a log should be explained by. Each file beside this one lists one kind, so that what is known can
// be seen at a glance.
import type { FailureFault } from '../../../control-plane/builds/domain/build.js';
import type { ReasonCode } from '../../../control-plane/builds/domain/failure-reasons.js';
import { WORK } from '../failure-logs.js';

export { WORK };

export interface Item {
  /** The lines as the tool prints them; the first that is told of is `cause`, or the first of all. */
  readonly lines: string;
  readonly cause?: string;
  readonly code: ReasonCode;
  readonly fault?: FailureFault;
  /** Default: none. */
  readonly at?: readonly [file: string, line: number];
  /** The location's message, or without a location the summary: all of it. */
  readonly says: string;
  readonly exitCode?: number;
}

/** Where tools put code that a build fetched. */
export const DERIVED = '/Users/ci/Library/Developer/Xcode/DerivedData/App-abcdefgh';
