// Decides which line of a log is nearest to the cause of a failure. Holds a few candidates, however long the log.
import { withoutEscapes } from '../../../shared/escape-stripper.js';
import type { Candidate } from './failure-finding.js';
import { isOfExitCode, type ReasonCode, reasonOfExitCode } from './failure-reasons.js';
import { type FailureRow, rank } from './failure-row.js';
import { failureTable, type Milestone } from './failure-table.js';
import { type Called, calledBy } from './failure-words.js';
import { isForeign } from './log-path.js';

// What other programs put before the lines that they pass on: times, processes, names of jobs.
const LEVEL = '(?:x|fatal|error|warn(?:ing)?|info|note|notice|hint|debug|trace|verbose|cidermill)';
const PREFIX = new RegExp(
  `^(?:${[
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12} (?:[\w.-]{1,60}\[\d{1,10}(?::\w{1,12})?\] (?:\[\w{1,12}\] )?)?`,
    String.raw`\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]:? `,
    String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,6})? `,
    String.raw`\[(?!${LEVEL}\])[\w.:@/ -]{1,40}\] `,
    String.raw`[a-z][\w.:@/-]{0,40} {0,20}[|│] `,
  ].join('|')}){1,4}(?:[▸>] )?`,
  'i',
);
/**
 * A command that the shell shows before it runs it (set -x), or a line of a diff: what stands in it is quoted. Dashes
 * also begin test names (-[Tests test]), headings (---) and arrows.
 */
const QUOTED = /^(?:\+|-(?![-[>]))/;
/** Characters that end a line for a pattern, but not in a log. */
const LINE_ENDS = /[\u2028\u2029]/g;
const OWN_LINE = '[cidermill] ';

/**
 * From this rank on, lines that are so many lines apart come from different commands of the script, and the later
 * command is the one that ended it: what an earlier one complained of was tolerated.
 */
const BY_COMMAND = 2 * rank.command;
const APART = 50;

interface Best {
  readonly candidate: Candidate;
  /** The lower, the nearer to the cause. */
  readonly key: number;
  /** The last line of the same key, not far from the one before it. */
  lastLine: number;
}

interface Waiting {
  readonly candidate: Candidate;
  readonly more: NonNullable<FailureRow['more']>;
  /** Lines in which it may still come. */
  readonly left: number;
}

export interface CauseFinder {
  /** Whether a line with these words, or the next line whatever it has, can tell anything that is not known yet. */
  cares(words: readonly number[]): boolean;
  /**
   * Looks at a line that has these words; says whether the next one is to be shown too, whatever that has.
   *
   * @param number of the line in the log
   */
  see(number: number, raw: string, words: readonly number[]): boolean;
  /** What says best why the attempt ended with this exit code; null when no line does. */
  best(exitCode: number | null): Candidate | null;
}

export function createCauseFinder(): CauseFinder {
  let best: Best | null = null;
  /** The best of what came before a tool's success: counts only when nothing came after. */
  let earlier: Best | null = null;
  const meant = new Map<ReasonCode, Candidate>();
  let testing = false;
  /** The best candidate, whose rest may still come. */
  let waiting: Waiting | null = null;
  /** A line that is a candidate only if its rest comes. */
  let expected: Waiting | null = null;

  const waitFor = (candidate: Candidate): Waiting | null => {
    const { more } = candidate.row;
    return more ? { candidate, more, left: more.within } : null;
  };
  const offer = (candidate: Candidate) => {
    const { row, found } = candidate;
    // Of two of the same rank the one in the build's own code is the cause.
    const key = 2 * row.rank + (found.file !== undefined && isForeign(found.file) ? 1 : 0);
    if (isOfExitCode(row.reason)) meant.set(row.reason, candidate);
    if (best !== null && key >= best.key) {
      const apart = candidate.line - best.lastLine > APART;
      if (key === best.key) best.lastLine = candidate.line;
      if (key > best.key || key < BY_COMMAND || !apart) return;
    }
    best = { candidate, key, lastLine: candidate.line };
    waiting = row.more?.required ? null : waitFor(candidate);
  };
  /** Looks for the rest of a candidate in a line. `rest` is null once it has come, or will not come any more. */
  const lookFor = (waiting: Waiting | null, number: number, text: string) => {
    if (waiting === null || text.trim() === '') return { rest: waiting, found: null };
    const { candidate, more, left } = waiting;
    const groups = more.pattern.exec(text)?.groups;
    if (!groups) return { rest: left > 1 ? { ...waiting, left: left - 1 } : null, found: null };
    const told = Object.entries(groups).filter(([, value]) => value !== undefined);
    candidate.found = { ...candidate.found, ...Object.fromEntries(told) };
    candidate.lastLine = number;
    return { rest: null, found: candidate };
  };
  const goOn = (number: number, text: string) => {
    waiting = lookFor(waiting, number, text).rest;
    const { rest, found } = lookFor(expected, number, text);
    expected = rest;
    if (found) offer(found);
  };
  const isOfTest = (test: string | undefined) => test !== undefined && best?.candidate.found.test === test;
  const pass = ({ means }: Milestone, test: string | undefined) => {
    if (means !== 'passed') testing = means === 'tests';
    if (best === null || means === 'tests' || (means === 'passed' && !isOfTest(test))) return;
    if (earlier === null || best.key < earlier.key) earlier = best;
    best = null;
    waiting = null;
    expected = null;
  };
  /** Whether a row of this rank could still make a difference. */
  const matters = (possible: number): boolean => {
    const key = 2 * possible;
    return best === null || key < best.key || (key === best.key && key >= BY_COMMAND);
  };
  const wouldChange = ({ means }: Milestone) =>
    ({
      tests: !testing,
      success: testing || best !== null,
      passed: best?.candidate.found.test !== undefined,
    })[means];
  /** Rows that fit the line: the first of all, and before it one that needs a rest. None that makes no difference. */
  const rowsOf = (text: string, { rows, bestFrom }: Called): FailureRow[] => {
    const fitting: FailureRow[] = [];
    for (let i = 0; i < rows.length; i++) {
      if (!matters(bestFrom[i] as number)) return fitting;
      const row = failureTable[rows[i] as number];
      if (row === undefined || (row.during === 'tests' && !testing)) continue;
      if (row.more?.required && fitting.length > 0) continue;
      if (!row.pattern.test(text)) continue;
      fitting.push(row);
      if (!row.more?.required) return fitting;
    }
    return fitting;
  };
  const take = (row: FailureRow, line: number, text: string) => {
    const key = 2 * row.rank;
    if (best !== null && key >= best.key && !isOfExitCode(row.reason)) {
      const goesOn = line - best.lastLine <= APART;
      if (key === best.key && goesOn) best.lastLine = line;
      if (key > best.key || goesOn) return;
    }
    const found = row.pattern.exec(text)?.groups ?? {};
    const candidate = { row, line, lastLine: line, text, found };
    if (row.more?.required) expected = waitFor(candidate);
    else offer(candidate);
  };

  return {
    cares(words) {
      if (waiting !== null || expected !== null) return true;
      if (words.length === 0) return false;
      const { rows, bestFrom, milestones } = calledBy(words);
      return (rows.length > 0 && matters(bestFrom[0] as number)) || milestones.some(wouldChange);
    },
    see(number, raw, words) {
      const line = raw.includes('\x1b') ? withoutEscapes(raw) : raw;
      if (line.startsWith(OWN_LINE)) return waiting !== null || expected !== null;
      const text = line.replace(PREFIX, '').replace(LINE_ENDS, ' ');
      if (QUOTED.test(text)) return waiting !== null || expected !== null;
      goOn(number, text);
      const called = calledBy(words);
      for (const milestone of called.milestones) {
        const match = wouldChange(milestone) ? milestone.pattern.exec(text) : null;
        if (match) pass(milestone, match.groups?.test);
      }
      for (const row of rowsOf(text, called)) take(row, number, text);
      return waiting !== null || expected !== null;
    },
    best(exitCode) {
      const found = best ?? earlier;
      const meaning = reasonOfExitCode(exitCode);
      if (meaning === undefined) return found?.candidate ?? null;
      // The exit code itself says more than any line, unless nothing could work.
      const obstacle = found?.candidate.row.rank === rank.obstacle ? found.candidate : null;
      return meant.get(meaning) ?? obstacle;
    },
  };
}
