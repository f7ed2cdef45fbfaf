// Where UTF-8 text may be cut. Bytes that are no UTF-8 are treated as characters of their own.

/** The largest index of at most `limit` that does not stand inside a character. */
export function characterBoundary(bytes: Buffer, limit: number): number {
  if (limit >= bytes.length) return bytes.length;
  for (let at = limit; at >= Math.max(0, limit - 3); at--) {
    if (!isContinuation(bytes[at] ?? 0))
      return at === limit || at + characterLength(bytes[at] ?? 0) > limit ? at : limit;
  }
  return limit;
}

/** How many bytes at the end are the beginning of a character whose rest is missing (0 to 3). */
export function incompleteCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!isContinuation(byte)) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}
