// The byte strings to find, and their symbols by position.

/** The byte strings to find, by number. A needle consists of symbols (see symbols.ts), never two GAPs in a row. */
export interface NeedleSet {
  readonly count: number;
  /** Returns the first `limit` symbols of a needle; fewer when it is shorter. */
  prefix(needle: number, limit: number): Uint8Array;
}

/** What `at` returns beyond the end of a needle. */
export const NO_SYMBOL = -1;

/** Symbols of each needle that are always in memory. */
const FIRST = 8;
const FIRST_LOAD = 256;

export interface NeedleTexts {
  readonly count: number;
  /** Returns the symbol of a needle at an index, or NO_SYMBOL. */
  at(needle: number, index: number): number;
  /** Drops what was loaded of long needles. */
  clear(): void;
}

/** Loads the beginning of each needle at once, and the rest as far as it is read. */
export function createNeedleTexts(needles: NeedleSet): NeedleTexts {
  const firsts = new Int16Array(needles.count * FIRST).fill(NO_SYMBOL);
  for (let needle = 0; needle < needles.count; needle++) firsts.set(needles.prefix(needle, FIRST), needle * FIRST);
  const loaded = new Map<number, { symbols: Uint8Array; complete: boolean }>();
  return {
    count: needles.count,
    at(needle, index) {
      if (index < FIRST) return firsts[needle * FIRST + index]!;
      let text = loaded.get(needle);
      while (text === undefined || (index >= text.symbols.length && !text.complete)) {
        const limit = Math.max(FIRST_LOAD, 2 * (text?.symbols.length ?? 0));
        const symbols = new Uint8Array(needles.prefix(needle, limit));
        text = { symbols, complete: symbols.length < limit };
        loaded.set(needle, text);
      }
      return text.symbols[index] ?? NO_SYMBOL;
    },
    clear: () => loaded.clear(),
  };
}
