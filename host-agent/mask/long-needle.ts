// Follows one needle past the depth of the trie, loading its text only as far as the stream goes along with it.
import type { NeedleSet } from './prefix-trie.js';

export interface LongNeedle {
  readonly needle: number;
  /**
   * How many symbols of the needle the text ends with after one more symbol, when it ended with `matched` of them
   * before (Knuth-Morris-Pratt: correct for needles that overlap themselves, in linear time).
   */
  advance(matched: number, symbol: number): number;
  /** The longest number of symbols, at most `limit`, that the text ends with besides `matched`. */
  shorten(matched: number, limit: number): number;
  isWhole(matched: number): boolean;
  /** Bytes of memory held. */
  size(): number;
}

/** The long needles of one stream, each loaded once for all its readings. */
export interface LongNeedles {
  get(needle: number): LongNeedle;
  /** Forgets the loaded texts when they have grown large. Only while no reading is deep. */
  trim(): void;
}

const FIRST_LOAD = 256;
const KEPT_BYTES = 8 << 20;

export function createLongNeedle(needles: NeedleSet, needle: number): LongNeedle {
  let symbols = new Uint8Array(0);
  let whole = false;
  // borders[n - 1]: length of the longest proper prefix of the first n symbols that is also their suffix.
  let borders = new Int32Array(0);
  let known = 0;

  /** Makes symbol `index` available; false when the needle has no such symbol. */
  const load = (index: number): boolean => {
    if (index < symbols.length) return true;
    if (whole) return false;
    const limit = Math.max(FIRST_LOAD, symbols.length * 2);
    symbols = new Uint8Array(needles.prefix(needle, limit));
    whole = symbols.length < limit;
    const longer = new Int32Array(symbols.length);
    longer.set(borders.subarray(0, known));
    borders = longer;
    return index < symbols.length;
  };

  const border = (matched: number): number => {
    load(matched - 1);
    if (known === 0) known = 1;
    for (; known < matched; known++) {
      let length = borders[known - 1]!;
      while (length > 0 && symbols[length] !== symbols[known]) length = borders[length - 1]!;
      borders[known] = symbols[length] === symbols[known] ? length + 1 : 0;
    }
    return borders[matched - 1]!;
  };

  return {
    needle,
    advance(matched, symbol) {
      let length = matched;
      while (!(load(length) && symbols[length] === symbol)) {
        if (length === 0) return 0;
        length = border(length);
      }
      return length + 1;
    },
    shorten(matched, limit) {
      let length = matched;
      while (length > limit) length = border(length);
      return length;
    },
    isWhole: (matched) => !load(matched),
    size: () => symbols.byteLength + borders.byteLength,
  };
}

export function createLongNeedles(needles: NeedleSet): LongNeedles {
  const loaded = new Map<number, LongNeedle>();
  let used = false;
  return {
    get(needle) {
      used = true;
      const known = loaded.get(needle);
      if (known) return known;
      const long = createLongNeedle(needles, needle);
      loaded.set(needle, long);
      return long;
    },
    trim() {
      if (!used) return;
      used = false;
      let bytes = 0;
      for (const long of loaded.values()) bytes += long.size();
      if (bytes > KEPT_BYTES) loaded.clear();
    },
  };
}
