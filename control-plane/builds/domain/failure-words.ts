// Selects the rows and milestones of the table to try on a line by the words that it contains.
import { isOfExitCode } from './failure-reasons.js';
import { rank } from './failure-row.js';
import { failureTable, type Milestone, milestones } from './failure-table.js';
import { compileWords } from './word-filter.js';

export interface Called {
  /** Indexes into the table, in order. */
  readonly rows: readonly number[];
  /** For each of them the best rank among it and those after it: if that cannot change the result, none can. */
  readonly bestFrom: readonly number[];
  readonly milestones: readonly Milestone[];
}
/** Rows relevant to an exit code: tried regardless of earlier findings, except those of rank `fatal`. */
const MEANT = rank.obstacle + 0.5;

// Where a word ends with a colon or a space, a tool may end a color before it.
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

/** Bounds the cache: usual logs have few combinations of words, an adversarial one could have many. */
const KEPT = 1_000;
const kept = new Map<string, Called>();

/** Returns the rows for the words of one line, in the order of the table, each once. */
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
