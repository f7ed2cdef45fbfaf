// Which rows and milestones of the table a line calls for, by the words that stand in it.
import { failureTable, milestones } from './failure-table.js';
import { compileWords } from './word-filter.js';

interface Called {
  /** Places in the table, and in the list of milestones. */
  readonly rows: number[];
  readonly milestones: number[];
}

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

/** In the order of the table, each once. */
export function calledBy(words: readonly number[], kind: keyof Called): readonly number[] {
  if (words.length === 1) return called[words[0] as number]?.[kind] ?? [];
  return [...new Set(words.flatMap((word) => called[word]?.[kind] ?? []))].sort((a, b) => a - b);
}
