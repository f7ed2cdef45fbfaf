// Boundaries of UTF-8 characters, in bytes that may also be invalid UTF-8.

/** Returns the length of the character that this byte begins; 1 for a byte that begins none. */
function characterLength(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  if (byte >= 0xf0 && byte <= 0xf4) return 4;
  return 1;
}

/**
 * Returns the offset of the first byte that is no part of a valid character, or null if all of it is UTF-8.
 *
 * @example firstInvalidByte(Buffer.from([0x61, 0xff])) // 1
 */
export function firstInvalidByte(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  for (let at = 0; at < bytes.length; ) {
    const next = at + characterLength(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, next))) return at;
    at = next;
  }
  return null;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    // Its only error.
    return false;
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * Returns the number of bytes at the end that begin an incomplete character: 0 to 3. Invalid bytes count as complete
 * characters.
 */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Returns the largest index of at most `limit` that is not inside a character. */
export function characterBoundary(bytes: Uint8Array, limit: number): number {
  if (limit >= bytes.length) return bytes.length;
  return isContinuation(bytes[limit]) ? limit - incompleteTail(bytes.subarray(0, limit)) : limit;
}

/**
 * Returns how many bytes lie between `at` and the next character when `at` is inside one: 0 to 3.
 * `bytes` holds at least the three bytes before and after `at`, as far as they exist.
 */
export function forwardToCharacter(bytes: Uint8Array, at: number): number {
  if (!isContinuation(bytes[at])) return 0;
  const missing = incompleteTail(bytes.subarray(0, at));
  if (missing === 0) return 0;
  const end = at - missing + characterLength(bytes[at - missing] ?? 0);
  let next = at;
  while (next < end && isContinuation(bytes[next])) next++;
  return next - at;
}
