// Finds which of a fixed set of words stand in bytes. Four bytes at every second place are looked up in a table, which
// knows four bytes of each word as it stands at an even and at an odd place; only what the table knows is compared. Letters
// of ASCII are taken as lower case.

/** Bytes that can be looked through, also four at a time. */
export interface WordText {
  readonly bytes: Buffer;
  readonly fours: Uint32Array;
}

export interface WordFilter {
  /** Where a word stands between `from` and `to`, with no line that has one before it; -1 when there is none. */
  first(text: WordText, from: number, to: number): number;
  /** Words (their places in the list) that stand between `from` and `to`, each once, in no order. */
  within(text: WordText, from: number, to: number): number[];
}

interface Entry {
  readonly word: number;
  readonly bytes: Uint8Array;
  /** Where in the word the four bytes begin; -1 for the byte before it. */
  readonly offset: number;
}

const SHORTEST = 3;
const BITS = 17;
/** Makes letters lower case, and other bytes fewer. */
const FOLD = 0x20202020;

/** @param size bytes of text that it can hold */
export function wordText(size: number): WordText {
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
export function compileWords(words: readonly string[]): WordFilter {
  const { slots, entries } = tableOf(words);

  /** Where a word stands of which the four bytes at `place` may be a part; -1 when none does. */
  const wordAt = (
    text: WordText,
    slot: number,
    place: number,
    from: number,
    to: number,
    found: number[] | null,
  ) => {
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
      // The first byte is the lowest one: so it is on every processor that this service runs on.
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
    first: (text, from, to) => look(text, from, to, null),
    within(text, from, to) {
      const found: number[] = [];
      look(text, from, to, found);
      return found;
    },
  };
}

/** Which entries four bytes call for: `entries[slots[hash]]`; the first of them is nobody's. */
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

/** Where four bytes of a word begin that are looked for, one at an even and one at an odd place. */
const offsetsIn = (bytes: Uint8Array): number[] => (bytes.length <= 4 ? [0, -1] : [0, 1]);

/** What four bytes can be, folded, of which those from `offset` on in a word are known. */
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
