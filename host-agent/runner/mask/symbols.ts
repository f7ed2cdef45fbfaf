// The symbols of the search: a byte each, except that any run of whitespace is one symbol, GAP.

/** The symbol of a run of whitespace, in needles and in text. */
export const GAP = 0x20;

/** Returns true for tab, LF, VT, FF, CR and space. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Returns true for LF and CR. */
export function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** Returns the symbol of a byte. */
export function symbolOf(byte: number): number {
  return isSpace(byte) ? GAP : byte;
}

/**
 * Returns the symbols of a byte string: each run of whitespace becomes one GAP, every other byte is kept.
 *
 * @example toSymbols(Buffer.from('a \r\n b')) // bytes of 'a b'
 */
export function toSymbols(bytes: Uint8Array): Uint8Array {
  const symbols = new Uint8Array(bytes.length);
  let length = 0;
  let spaced = false;
  for (const byte of bytes) {
    const space = isSpace(byte);
    if (!(space && spaced)) symbols[length++] = space ? GAP : byte;
    spaced = space;
  }
  return symbols.subarray(0, length);
}
