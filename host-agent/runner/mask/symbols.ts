// What one byte of text means to the search: any run of whitespace is one symbol, GAP.

/** The one symbol that stands for a whole run of whitespace, in needles and in text alike. */
export const GAP = 0x20;

/** Tab, LF, VT, FF, CR or space. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** LF or CR. */
export function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** The symbol a byte is searched as. */
export function symbolOf(byte: number): number {
  return isSpace(byte) ? GAP : byte;
}

/**
 * The symbols of a whole byte string: whitespace runs become one GAP each, every other byte is kept.
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
