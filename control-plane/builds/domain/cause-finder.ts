// Finds the lines of a log that explain why the build failed. Memory is constant.
import { withoutEscapes } from '../../../shared/escape-stripper.js';
import { createCauseCandidates } from './cause-candidates.js';
import type { Candidate } from './failure-finding.js';
import type { FailureRow } from './failure-row.js';
import { failureTable, type Milestone } from './failure-table.js';
import { type Called, calledBy } from './failure-words.js';

// Prefixes that programs put before lines they relay: times, processes, job names.
const LEVEL = '(?:x|fatal|error|warn(?:ing)?|info|note|notice|hint|debug|trace|verbose|cidermill)';
const PREFIX = new RegExp(
  `^(?:${[
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12} (?:[\w.-]{1,60}\[\d{1,10}(?::\w{1,12})?\] (?:\[\w{1,12}\] )?)?`,
    String.raw`\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]:? `,
    String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,6})? `,
    String.raw`\[(?!${LEVEL}\])[\w.:@/ -]{1,40}\] `,
    String.raw`(?:step|stage|phase|task|job) \d{1,4}(?:\/\d{1,4}| of \d{1,4})?: `,
    String.raw`(?!${LEVEL}:)[a-z][\w.:@/-]{0,40}(?: [\w.@/-]{1,40})? {0,20}[|│] `,
  ].join('|')}){1,4}(?:[▸>] )?`,
  'i',
);
/**
 * A command traced by the shell (set -x) or a line of a diff: its text is quoted. Dashes also begin test names (-[Tests
 * test]), headings (---) and arrows.
 */
const QUOTED = /^(?:\+|-(?![-[>]))/;
/** Characters that regular expressions treat as line ends, but logs do not. */
const LINE_ENDS = /[\u2028\u2029]/g;
const OWN_LINE = '[cidermill] ';

interface Waiting {
  readonly candidate: Candidate;
  readonly more: NonNullable<FailureRow['more']>;
  /** Remaining lines in which it may appear. */
  readonly left: number;
}

export function createCauseFinder() {
  const candidates = createCauseCandidates();
  let testing = false;
  /** The best candidate, whose continuation may still follow. */
  let waiting: Waiting | null = null;
  /** A line that is a candidate only if its continuation follows. */
  let expected: Waiting | null = null;

  const offer = (candidate: Candidate) => {
    if (candidates.offer(candidate)) waiting = candidate.row.more?.required ? null : waitFor(candidate);
  };
  const goOn = (number: number, text: string) => {
    waiting = lookFor(waiting, number, text).rest;
    const { rest, found } = lookFor(expected, number, text);
    expected = rest;
    if (found) offer(found);
  };
  const bestTest = () => candidates.best()?.found.test;
  const pass = ({ means }: Milestone, test: string | undefined) => {
    if (means !== 'passed') testing = means === 'tests';
    const isOfBest = test !== undefined && bestTest() === test;
    if (candidates.best() === null || means === 'tests' || (means === 'passed' && !isOfBest)) return;
    candidates.setAside();
    waiting = null;
    expected = null;
  };
  const wouldChange = ({ means }: Milestone) =>
    ({
      tests: !testing,
      success: testing || candidates.best() !== null,
      passed: bestTest() !== undefined,
    })[means];
  /**
   * Returns the first row that matches the line, and before it one that needs a continuation; only rows that can change
   * the result.
   */
  const rowsOf = (text: string, { rows, bestFrom }: Called): FailureRow[] => {
    const fitting: FailureRow[] = [];
    for (let i = 0; i < rows.length; i++) {
      if (!candidates.matters(bestFrom[i] as number)) return fitting;
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
    if (!candidates.wants(row, line)) return;
    const found = row.pattern.exec(text)?.groups ?? {};
    const candidate = { row, line, lastLine: line, text, found };
    if (row.more?.required) expected = waitFor(candidate);
    else offer(candidate);
  };

  return {
    /** Returns whether a line with these words, or any next line, can change the result. */
    cares(words: readonly number[]): boolean {
      if (waiting !== null || expected !== null) return true;
      if (words.length === 0) return false;
      const { rows, bestFrom, milestones } = calledBy(words);
      return (rows.length > 0 && candidates.matters(bestFrom[0] as number)) || milestones.some(wouldChange);
    },
    /**
     * Examines a line with these words; returns whether the next line must be examined too, regardless of its words.
     *
     * @param number of the line in the log
     */
    see(number: number, raw: string, words: readonly number[]): boolean {
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
    /** Returns the best explanation for this exit code; null if no line explains it. */
    best: candidates.choose,
  };
}

function waitFor(candidate: Candidate): Waiting | null {
  const { more } = candidate.row;
  return more ? { candidate, more, left: more.within } : null;
}

/** Looks for the continuation of a candidate in a line. `rest` is null once it was found or can no longer follow. */
function lookFor(waiting: Waiting | null, number: number, text: string) {
  if (waiting === null || text.trim() === '') return { rest: waiting, found: null };
  const { candidate, more, left } = waiting;
  const groups = more.pattern.exec(text)?.groups;
  if (!groups) return { rest: left > 1 ? { ...waiting, left: left - 1 } : null, found: null };
  const told = Object.entries(groups).filter(([, value]) => value !== undefined);
  candidate.found = { ...candidate.found, ...Object.fromEntries(told) };
  candidate.lastLine = number;
  return { rest: null, found: candidate };
}
