// Finds which of a fixed set of words occur in bytes. Four bytes at every second offset are looked up in a table that
// has four bytes of each word at an even and at an odd offset; only table hits are compared. ASCII letters are folded
// to lower case.

/** Bytes to search, readable four at a time. */
export type WordText = ReturnType<typeof wordText>;

interface Entry {
  readonly word: number;
  readonly bytes: Uint8Array;
  /** Offset of the four bytes in the word; -1 for the byte before it. */
  readonly offset: number;
}

const SHORTEST = 3;
const BITS = 17;
/** Folds letters to lower case, and merges some other bytes. */
const FOLD = 0x20202020;

/** @param size capacity in bytes */
export function wordText(size: number) {
  const memory = new ArrayBuffer((size + 7) & ~3);
  return { bytes: Buffer.from(memory, 0, size), fours: new Uint32Array(memory) };
}

/**
 * @throws RangeError for a word of less than three bytes
 * @example
 * const filter = compileWords(['error:', 'not found']);
 * text.bytes.write('ld: Library NOT FOUND');
 * filter.within(text, 0, 21) // [1]
 */
export function compileWords(words: readonly string[]) {
  const { slots, entries } = tableOf(words);

  /** Returns the offset of a word that contains the four bytes at `place`; -1 if there is none. */
  const wordAt = (text: WordText, slot: number, place: number, from: number, to: number, found: number[] | null) => {
    let at = -1;
    for (const { word, bytes, offset } of entries[slot] as Entry[]) {
      const start = place - offset;
      if (start < from || start + bytes.length > to || !isAt(bytes, text.bytes, start)) continue;
      at = start;
      if (found === null) return at;
      if (!found.includes(word)) found.push(word);
    }
    return at;
  };
  const look = (text: WordText, from: number, to: number, found: number[] | null): number => {
    const { fours } = text;
    const end = (to + 3) >> 2;
    let before = 0;
    for (let i = from >> 2; i < end; i++) {
      // Little-endian, as on every supported processor.
      const four = (fours[i] as number) | FOLD;
      const across = slots[hashOf((before >>> 16) | (four << 16))] as number;
      const here = slots[hashOf(four)] as number;
      before = four;
      if ((across | here) === 0) continue;
      const first = across === 0 ? -1 : wordAt(text, across, 4 * i - 2, from, to, found);
      if (found === null && first >= 0) return first;
      const second = here === 0 ? -1 : wordAt(text, here, 4 * i, from, to, found);
      if (found === null && second >= 0) return second;
    }
    return -1;
  };

  return {
    /**
     * Returns an offset of a word between `from` and `to` such that no earlier line contains one; -1 if there is none.
     */
    first: (text: WordText, from: number, to: number): number => look(text, from, to, null),
    /** Returns the words (as indexes) between `from` and `to`, each once, unordered. */
    within(text: WordText, from: number, to: number): number[] {
      const found: number[] = [];
      look(text, from, to, found);
      return found;
    },
  };
}

/** The entries of four bytes: `entries[slots[hash]]`; the first entry is empty. */
function tableOf(words: readonly string[]): { slots: Uint16Array; entries: Entry[][] } {
  const called = new Map<number, Entry[]>();
  words.forEach((text, word) => {
    const bytes = Buffer.from(text).map(lowerCase);
    if (bytes.length < SHORTEST) throw new RangeError(`too short to search for: ${text}`);
    for (const offset of offsetsIn(bytes)) {
      for (const four of foursAt(bytes, offset)) {
        const entries = called.get(hashOf(four)) ?? [];
        called.set(hashOf(four), entries);
        if (!entries.some((entry) => entry.word === word && entry.offset === offset))
          entries.push({ word, bytes, offset });
      }
    }
  });
  const slots = new Uint16Array(1 << BITS);
  [...called.keys()].forEach((hash, i) => {
    slots[hash] = i + 1;
  });
  return { slots, entries: [[], ...called.values()] };
}

/** Returns the offsets of the two four-byte parts of a word to look up, one even and one odd. */
const offsetsIn = (bytes: Uint8Array): number[] => (bytes.length <= 4 ? [0, -1] : [0, 1]);

/** Returns the possible folded values of four bytes at `offset` of a word. */
function foursAt(word: Uint8Array, offset: number): number[] {
  let fours = [0];
  for (let i = 0; i < 4; i++) {
    const known = word[offset + i];
    const values = known === undefined ? Array.from({ length: 256 }, (_, byte) => byte) : [known];
    const folded = new Set(values.map((byte) => byte | (FOLD & 0xff)));
    fours = fours.flatMap((four) => [...folded].map((byte) => four | (byte << (8 * i))));
  }
  return fours;
}

const hashOf = (four: number): number => Math.imul(four, 0x9e3779b1) >>> (32 - BITS);

function isAt(word: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < word.length; i++) {
    if (lowerCase(bytes[start + i] as number) !== word[i]) return false;
  }
  return true;
}

const lowerCase = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte);
