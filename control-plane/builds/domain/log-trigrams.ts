// Filters that tell which texts a stretch of a log certainly does not contain: Bloom filters with one hash of the
// stretch's trigrams (three consecutive bytes, lower case, without colors). A search reads only the stretches whose
// filter contains all trigrams of its text.
import { withoutEscapes } from '../../../shared/escape-stripper.js';

const ESC = 0x1b;
const SMALLEST = 256;
/** Bits for each trigram: about a fifth of the bits are set. */
const BITS_EACH = 4;
/**
 * A stretch with more trigrams than this share of the largest filter's bits gets no filter, because it would exclude
 * almost nothing.
 */
const FULLEST = 0.75;

/** Returns an ASCII byte in lower case; other bytes are unchanged. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte,
);

/** Returns a 16-bit hash of a trigram. A smaller filter uses fewer bits of it. */
const hashOf = (trigram: number): number => Math.imul(trigram, 0x9e3779b1) >>> 16;

// Scratch buffers: the hashes of the stretch as a set and as a list.
const isSeen = new Uint8Array(1 << 16);
const seen = new Uint16Array(1 << 16);

/**
 * Returns the filter of a stretch of whole lines. An empty filter means that the stretch may contain any text.
 *
 * @param mostBytes of the filter; rounded down to a power of two, at most 8 KiB
 * @example trigramFilter(Buffer.from('compiling Cart.swift\n'), 8192).length // 256
 */
export function trigramFilter(stretch: Buffer, mostBytes: number): Buffer {
  const most = 2 ** Math.floor(Math.log2(Math.min(8192, Math.max(1, mostBytes))));
  if (most < SMALLEST) return Buffer.alloc(0);
  const bytes = stretch.includes(ESC)
    ? Buffer.from(withoutEscapes(stretch.toString('latin1')), 'latin1')
    : stretch;
  let count = 0;
  let trigram = 0;
  for (let i = 0; i < bytes.length; i++) {
    trigram = ((trigram << 8) | (LOWER[bytes[i] as number] as number)) & 0xffffff;
    const hash = hashOf(trigram);
    if (isSeen[hash] === 1) continue;
    isSeen[hash] = 1;
    seen[count++] = hash;
  }
  let size = SMALLEST;
  while (size < most && 8 * size < BITS_EACH * count) size *= 2;
  const filter = Buffer.alloc(size);
  for (let i = 0; i < count; i++) {
    const hash = seen[i] as number;
    isSeen[hash] = 0;
    const bit = hash & (8 * size - 1);
    filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
  }
  return count > FULLEST * 8 * size ? Buffer.alloc(0) : filter;
}

/**
 * Returns the trigram hashes that every case-insensitive match of a text contains. If empty, every stretch has to be
 * read, as for a text of fewer than three bytes.
 */
export function trigramsOf(text: string): readonly number[] {
  const isAscii = Buffer.byteLength(text) === text.length;
  const wanted = text.toLowerCase();
  const hashes = new Set<number>();
  for (const run of isAscii ? [wanted] : unambiguousRuns(wanted)) {
    const bytes = Buffer.from(run);
    for (let i = 0; i + 3 <= bytes.length; i++) hashes.add(hashOf(bytes.readUIntBE(i, 3)));
  }
  return [...hashes];
}

/** Returns whether a stretch with this filter may contain a text with these trigrams. */
export function mayHold(filter: Buffer, trigrams: readonly number[]): boolean {
  const mask = 8 * filter.length - 1;
  return filter.length === 0 || trigrams.every((hash) => hasBit(filter, hash & mask));
}

const hasBit = (filter: Buffer, bit: number): boolean =>
  (((filter[bit >>> 3] as number) >>> (bit & 7)) & 1) === 1;

/** Returns the parts of a lower-case text whose bytes in a log are the same except for ASCII case. */
function unambiguousRuns(text: string): string[] {
  const runs = [''];
  for (const character of text) {
    if (isUnambiguous(character)) runs.push(`${runs.pop()}${character}`);
    else runs.push('');
  }
  return runs;
}

/**
 * Returns whether no other character (except its ASCII capital) lower-cases to this one. İ becomes i and a dot above,
 * the kelvin sign becomes k, and invalid UTF-8 becomes U+FFFD.
 */
export function isUnambiguous(character: string): boolean {
  if (character <= '\x7f') return character !== 'i' && character !== 'k';
  if (/[\u0307\ufffd\p{Cs}]/u.test(character)) return false;
  return character.toLowerCase() === character && character.toUpperCase() === character;
}
