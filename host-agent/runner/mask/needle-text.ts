// The symbols of needles by position; each needle is loaded only as far as it is read.
import type { NeedleSet } from './prefix-trie.js';

const FIRST_LOAD = 256;
/** What `at` returns beyond the end of a needle. */
export const NO_SYMBOL = -1;

export interface NeedleTexts {
  /** Returns the symbol of a needle at an index, or NO_SYMBOL. */
  at(needle: number, index: number): number;
  clear(): void;
}

export function createNeedleTexts(needles: NeedleSet): NeedleTexts {
  const loaded = new Map<number, { symbols: Uint8Array; complete: boolean }>();
  return {
    at(needle, index) {
      let text = loaded.get(needle);
      while (text === undefined || (index >= text.symbols.length && !text.complete)) {
        const limit = Math.max(FIRST_LOAD, 2 * (text?.symbols.length ?? 0));
        const symbols = new Uint8Array(needles.prefix(needle, limit));
        text = { symbols, complete: symbols.length < limit };
        loaded.set(needle, text);
      }
      return index < text.symbols.length ? text.symbols[index]! : NO_SYMBOL;
    },
    clear: () => loaded.clear(),
  };
}
