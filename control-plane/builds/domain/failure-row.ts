// One row of the failure table: a pattern for a log line, and what it says about the build.
import type { AdviceCode } from '../../../shared/messages/failure-advice.js';
import type { Message } from '../../../shared/messages/message.js';
import type { ReasonCode } from './failure-reasons.js';

/**
 * How near a line is to the cause. The nearest in a log is chosen, and the first among equals, because later errors are
 * mostly consequences.
 */
export const rank = {
  /** A failure that made everything after it impossible. */
  obstacle: 0,
  /** A tool reports an error in the project. */
  cause: 1,
  /** A test reports what failed. */
  test: 2,
  /** A test is reported as failed without details. */
  testEcho: 3,
  /** Another server was unreachable or refused a request. */
  network: 4,
  /** Dependencies could not be fetched. */
  packages: 5,
  /** Any other tool, or the shell, reports an error. */
  command: 6,
  /** A tool reports only that one of its steps failed. */
  symptom: 7,
  /** The closing line of a tool. */
  footer: 8,
} as const;
export type Rank = (typeof rank)[keyof typeof rank];

/** Named groups of the match: `file`, `line` (or `row`) and `message` have their meaning, others are for `say`. */
export type Found = Readonly<Record<string, string | undefined>>;

export interface FailureRow {
  /** An example of the line as the tool prints it, with the lines that `more` matches. */
  readonly example: string;
  /** Words in lower case; a line that contains none of them cannot match. None may span a color code. */
  readonly words: readonly string[];
  /** Matched against the line without escape sequences. Must run in linear time on any input. */
  readonly pattern: RegExp;
  readonly reason: ReasonCode;
  readonly rank: Rank;
  /** A more specific suggestion than the reason code's. */
  readonly suggestion?: AdviceCode;
  /** The suggestion without a location, if it differs. */
  readonly elsewhere?: AdviceCode;
  /** Matches only after tests have started. */
  readonly during?: 'tests';
  /** A continuation: the first match among this many following lines (blank ones not counted). */
  readonly more?: { readonly pattern: RegExp; readonly within: number; readonly required?: true };
  /**
   * What it says, from the groups of both patterns: a message, or the words of the tool. Default: the group `message`,
   * else the line.
   */
  readonly say?: (found: Found) => Message | string;
  /** Context lines before and after; default: 2 and 5. */
  readonly show?: readonly [before: number, after: number];
}

/** Joins `message` with the continuation. */
export const withDetail = ({ message = '', detail }: Found): string =>
  detail === undefined ? message : `${message} ${detail}`;
