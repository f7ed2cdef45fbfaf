// One row of the table of failures: what a line of a log looks like, and what it says about the build.
import type { ReasonCode } from './failure-reasons.js';

/**
 * How near a line is to the cause. The nearest in a log wins, and of equals the first: what follows it is mostly its
 * consequence.
 */
export const rank = {
  /** Nothing could work any more. */
  obstacle: 0,
  /** A tool names what is wrong with the project. */
  cause: 1,
  /** A test names what it found. */
  test: 2,
  /** A test is said to have failed, without what it found. */
  testEcho: 3,
  /** Another server could not be reached or refused. */
  network: 4,
  /** Dependencies could not be had. */
  packages: 5,
  /** Any other tool or the shell says what it could not do. */
  command: 6,
  /** A tool only says that one of its steps failed. */
  symptom: 7,
  /** The last line of a tool. */
  footer: 8,
} as const;
export type Rank = (typeof rank)[keyof typeof rank];

/** Named groups of what matched: `file`, `line` (or `row`) and `message` have their meaning, others are for `say`. */
export type Found = Readonly<Record<string, string | undefined>>;

export interface FailureRow {
  /** A line as the tool prints it, with the lines that `more` looks at. */
  readonly example: string;
  /** Words in lower case; a line without any of them cannot fit. Each stands between colour codes, not across. */
  readonly words: readonly string[];
  /** For a line without escape sequences. Takes time in proportion to the line's length, whatever that holds. */
  readonly pattern: RegExp;
  readonly reason: ReasonCode;
  readonly rank: Rank;
  /** What to do, where there is better to say than the reason code's own suggestion. */
  readonly suggestion?: string;
  /** The suggestion where no location can be shown, if it has to be another one. */
  readonly elsewhere?: string;
  /** Counts only after tests have begun to run. */
  readonly during?: 'tests';
  /** The rest of the story: the first of so many lines (blank ones not counted) that fits. */
  readonly more?: { readonly pattern: RegExp; readonly within: number; readonly required?: true };
  /** The message, from the groups of both patterns; by default the group `message`, else the line. */
  readonly say?: (found: Found) => string;
  /** Lines of the log to show before and after; by default 2 and 5. */
  readonly show?: readonly [before: number, after: number];
}

/** `message`, then what the next lines added. */
export const withDetail = ({ message = '', detail }: Found): string =>
  detail === undefined ? message : `${message} ${detail}`;
