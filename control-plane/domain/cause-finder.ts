// Decides which line of a log is nearest to the cause of a failure. Holds a few candidates, however long the log.
import { withoutEscapes } from './clean-text.js';
import type { Candidate } from './failure-finding.js';
import type { ReasonCode } from './failure-reasons.js';
import { type FailureRow, rank } from './failure-row.js';
import { failureTable, type Milestone, milestones } from './failure-table.js';
import { calledBy } from './failure-words.js';
import { isForeign } from './log-path.js';

/** Exit codes of the shell that say what happened; the last line that tells of it is the one. */
const MEANING: Readonly<Record<number, ReasonCode>> = {
  126: 'not_executable',
  127: 'command_not_found',
  137: 'killed',
};
const MEANT: ReadonlySet<ReasonCode> = new Set(Object.values(MEANING));

// What other programs put before the lines that they pass on.
const PREFIX =
  /^(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12} (?:[\w.-]{1,60}\[\d{1,10}(?::\w{1,12})?\] (?:\[\w{1,12}\] )?)?|\[\d\d:\d\d:\d\d\]: )(?:[▸>] )?/;
const BEGINS_PREFIX = /^[\d[]/;
const OWN_LINE = '[cidermill] ';

/** The best rank from a row on: when that is no better than what was found, the rest need not be tried. */
const bestFrom = failureTable.map((_, i) => Math.min(...failureTable.slice(i).map((row) => row.rank)));

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

export interface CauseFinder {
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
  let waiting: { candidate: Candidate; more: NonNullable<FailureRow['more']>; left: number } | null = null;

  const waitFor = (candidate: Candidate) => {
    const { more } = candidate.row;
    waiting = more ? { candidate, more, left: more.within } : null;
  };
  const offer = (candidate: Candidate) => {
    const { row, found } = candidate;
    // Of two of the same rank the one in the build's own code is the cause.
    const key = 2 * row.rank + (found.file !== undefined && isForeign(found.file) ? 1 : 0);
    if (MEANT.has(row.reason)) meant.set(row.reason, candidate);
    if (best !== null && key >= best.key) {
      const apart = candidate.line - best.lastLine > APART;
      if (key === best.key) best.lastLine = candidate.line;
      if (key > best.key || key < BY_COMMAND || !apart) return;
    }
    best = { candidate, key, lastLine: candidate.line };
    if (!row.more?.required) waitFor(candidate);
  };
  const goOn = (number: number, text: string) => {
    if (waiting === null || text.trim() === '') return;
    const { candidate, more } = waiting;
    const groups = more.pattern.exec(text)?.groups;
    if (groups) {
      const told = Object.entries(groups).filter(([, value]) => value !== undefined);
      candidate.found = { ...candidate.found, ...Object.fromEntries(told) };
      candidate.lastLine = number;
      waiting = null;
      if (more.required) offer(candidate);
    } else if (--waiting.left <= 0) waiting = null;
  };
  const pass = ({ means }: Milestone) => {
    if (means === 'tests') testing = true;
    else if (best !== null) {
      if (earlier === null || best.key < earlier.key) earlier = best;
      best = null;
      waiting = null;
    }
  };
  /** The first row that fits the line, unless no row that could would make a difference. */
  const fit = (text: string, places: readonly number[]): Pick<Candidate, 'row' | 'found'> | null => {
    for (const place of places) {
      const possible = 2 * (bestFrom[place] ?? 0);
      if (best !== null && (possible > best.key || (possible === best.key && possible < BY_COMMAND)))
        return null;
      const row = failureTable[place];
      if (row === undefined || (row.during === 'tests' && !testing)) continue;
      const match = row.pattern.exec(text);
      if (match) return { row, found: match.groups ?? {} };
    }
    return null;
  };

  return {
    see(number, raw, words) {
      const line = raw.includes('\x1b') ? withoutEscapes(raw) : raw;
      if (line.startsWith(OWN_LINE)) return waiting !== null;
      // Characters that end a line for a pattern, but not in a log.
      const text = (BEGINS_PREFIX.test(line) ? line.replace(PREFIX, '') : line).replace(
        /[\u2028\u2029]/g,
        ' ',
      );
      goOn(number, text);
      const called = calledBy(words);
      for (const place of called.milestones) {
        const milestone = milestones[place];
        if (milestone?.pattern.test(text)) pass(milestone);
      }
      const fits = fit(text, called.rows);
      if (fits) {
        const candidate = { ...fits, line: number, lastLine: number, text };
        if (fits.row.more?.required) waitFor(candidate);
        else offer(candidate);
      }
      return waiting !== null;
    },
    best(exitCode) {
      const found = best ?? earlier;
      const meaning = exitCode === null ? undefined : MEANING[exitCode];
      if (meaning === undefined) return found?.candidate ?? null;
      // The exit code itself says more than any line, unless nothing could work.
      const obstacle = found?.candidate.row.rank === rank.obstacle ? found.candidate : null;
      return meant.get(meaning) ?? obstacle;
    },
  };
}
