// The lookup tables of the filter: the first two and the first four bytes of needles.
import type { PrefixTrie } from './prefix-trie.js';
import { GAP, isLineBreak, isSpace } from './symbols.js';

/** Flag in the table of pairs: a needle may have these two as its first and second byte. */
export const FIRST = 1;
/** Flag in the table of pairs: a needle may have these two as its second and third byte. */
export const SECOND = 2;

const ESC = 0x1b;
const EVERY_BYTE = Array.from({ length: 256 }, (_, byte) => byte);
const SPACES = EVERY_BYTE.filter(isSpace);
/** Bytes after which a needle may continue in some view, whatever its next symbol is. */
const INTERRUPTERS = [ESC, ...EVERY_BYTE.filter(isLineBreak)];
// Size of the table of starts: 64 KiB to 4 MiB.
const FEWEST_BITS = 16;
const MOST_BITS = 22;

/** Returns a table whose entry `b << 8 | a` has the flags of the bytes a, b in this order. */
export function tableOfPairs(trie: PrefixTrie): Uint8Array {
  const pairs = new Uint8Array(1 << 16);
  const bytesOf = (symbol: number): number[] => (symbol === GAP ? SPACES : [symbol]);
  const add = (first: number, second: number, flag: number): void => {
    for (const a of bytesOf(first)) for (const b of bytesOf(second)) pairs[(b << 8) | a]! |= flag;
  };
  /** Adds what may follow a state reached by `symbol`: its children, and bytes that only some view sees. */
  const addFollowers = (state: number, symbol: number, flag: number): void => {
    const ends = trie.firstEnding(state) !== -1;
    const children = trie.children(state).map((child) => child.symbol);
    for (const next of ends ? EVERY_BYTE : [...children, ...INTERRUPTERS]) add(symbol, next, flag);
    if (symbol === GAP) add(GAP, GAP, flag);
  };
  for (const first of trie.children(0)) {
    if (trie.firstEnding(first.state) !== -1) return pairs.fill(FIRST | SECOND);
    addFollowers(first.state, first.symbol, FIRST);
    // A run of whitespace is one symbol but may be the first two bytes.
    if (first.symbol === GAP) addFollowers(first.state, GAP, SECOND);
    for (const second of trie.children(first.state)) addFollowers(second.state, second.symbol, SECOND);
  }
  for (const first of INTERRUPTERS) for (const second of EVERY_BYTE) add(first, second, SECOND);
  return pairs;
}

/** Returns a hash of four bytes; its high bits are the best distributed. */
export function hashOf(first: number, second: number, third: number, fourth: number): number {
  return Math.imul((first << 24) | (second << 16) | (third << 8) | fourth, 0x9e3779b1);
}

/** Returns the shift that turns a hash into an index of the table of starts. */
export function hashShift(beginnings: Uint8Array): number {
  return Math.clz32(beginnings.length) + 1;
}

/**
 * Returns a table whose entry for a hash is 1 when a needle may begin with four bytes of that hash, none of them
 * whitespace. Its length is a power of two, about 32 entries for each that is 1.
 */
export function tableOfBeginnings(trie: PrefixTrie): Uint8Array {
  const hashes: number[] = [];
  let anything = false;
  const walk = (state: number, bytes: readonly number[]): void => {
    const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
    const ends = state !== 0 && trie.firstEnding(state) !== -1;
    if (bytes.length === 4) hashes.push(hashOf(first, second, third, fourth));
    else if (ends && bytes.length < 3) anything = true;
    else if (ends) for (const byte of EVERY_BYTE) hashes.push(hashOf(first, second, third, byte));
    else {
      for (const child of trie.children(state)) {
        if (child.symbol !== GAP) walk(child.state, [...bytes, child.symbol]);
      }
    }
  };
  walk(0, []);
  if (anything) return new Uint8Array(1 << FEWEST_BITS).fill(1);
  const bits = Math.min(MOST_BITS, Math.max(FEWEST_BITS, 37 - Math.clz32(hashes.length)));
  const table = new Uint8Array(1 << bits);
  for (const hash of hashes) table[hash >>> (32 - bits)] = 1;
  return table;
}
