// Which rows and milestones of the table a line calls for, by the words that stand in it.
import { failureTable, milestones } from './failure-table.js';
import { compileWords } from './word-filter.js';

interface Called {
  /** Places in the table, and in the list of milestones. */
  readonly rows: number[];
  readonly milestones: number[];
}
const NOTHING: Called = { rows: [], milestones: [] };

// Where a word ends with a colon, a tool may end a colour before it.
const spellings = (word: string): string[] => [word, word.replace(/:\s*$/, '\x1b')];

const callers = new Map<string, Called>();
const call = (kind: keyof Called) => (entry: { readonly words: readonly string[] }, place: number) => {
  for (const word of new Set(entry.words.flatMap(spellings))) {
    const called = callers.get(word) ?? { rows: [], milestones: [] };
    callers.set(word, called);
    called[kind].push(place);
  }
};
failureTable.forEach(call('rows'));
milestones.forEach(call('milestones'));

const called = [...callers.values()];

/** Finds the words, and behind them in its list the two characters that end a line on a screen. */
export const lineFilter = compileWords([...callers.keys(), '\n', '\r']);

/** Combinations of words are few; a log that makes many of them up does not fill the memory. */
const KEPT = 1_000;
const kept = new Map<string, Called>();

/** What words of one line call for: in the order of the table, each once. */
export function calledBy(words: readonly number[]): Readonly<Called> {
  const [first = -1] = words;
  if (words.length === 1) return called[first] ?? NOTHING;
  const name = words.join();
  const known = kept.get(name);
  if (known) return known;
  const of = (kind: keyof Called) =>
    [...new Set(words.flatMap((word) => called[word]?.[kind] ?? []))].sort((a, b) => a - b);
  const both = { rows: of('rows'), milestones: of('milestones') };
  if (kept.size < KEPT) kept.set(name, both);
  return both;
}
