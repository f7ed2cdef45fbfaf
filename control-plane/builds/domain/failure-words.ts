// Which rows and milestones of the table a line calls for, by the words that stand in it.
import { isOfExitCode } from './failure-reasons.js';
import { rank } from './failure-row.js';
import { failureTable, type Milestone, milestones } from './failure-table.js';
import { compileWords } from './word-filter.js';

export interface Called {
  /** Places in the table, in its order. */
  readonly rows: readonly number[];
  /** For each of them the best rank of it and of those behind it: when that is not wanted any more, none of them is. */
  readonly bestFrom: readonly number[];
  readonly milestones: readonly Milestone[];
}
/** Of rows that an exit code may ask for: they are wanted whatever was found, unless nothing could work any more. */
const MEANT = rank.obstacle + 0.5;

// Where a word ends with a colon or a space, a tool may end a colour before it.
const spellings = (word: string): string[] => [word, word.replace(/(?:: ?| )$/, '\x1b')];

interface Callers {
  readonly rows: number[];
  readonly milestones: number[];
}
const callers = new Map<string, Callers>();
const call = (kind: keyof Callers) => (entry: { readonly words: readonly string[] }, place: number) => {
  for (const word of new Set(entry.words.flatMap(spellings))) {
    const called = callers.get(word) ?? { rows: [], milestones: [] };
    callers.set(word, called);
    called[kind].push(place);
  }
};
failureTable.forEach(call('rows'));
milestones.forEach(call('milestones'));

const byWord = [...callers.values()];

/** Finds the words in a log. */
export const lineFilter = compileWords([...callers.keys()]);

/** Combinations of words are few; a log that makes many of them up does not fill the memory. */
const KEPT = 1_000;
const kept = new Map<string, Called>();

/** What words of one line call for: in the order of the table, each once. */
export function calledBy(words: readonly number[]): Called {
  const name = words.join();
  const known = kept.get(name);
  if (known) return known;
  const of = (kind: keyof Callers) =>
    [...new Set(words.flatMap((word) => byWord[word]?.[kind] ?? []))].sort((a, b) => a - b);
  const rows = of('rows');
  const called = {
    rows,
    bestFrom: rows.map((_, i) => Math.min(...rows.slice(i).map(rankOf))),
    milestones: of('milestones').flatMap((place) => milestones[place] ?? []),
  };
  if (kept.size < KEPT) kept.set(name, called);
  return called;
}

function rankOf(place: number): number {
  const row = failureTable[place];
  if (row === undefined) return rank.footer;
  return isOfExitCode(row.reason) ? Math.min(MEANT, row.rank) : row.rank;
}
