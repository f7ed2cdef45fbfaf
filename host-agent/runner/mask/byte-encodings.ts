// Encodings of the bytes of a value: base64 and hexadecimal.

/** Returns the first `limit` characters of the encoded value. */
export type ByteEncoding = (limit: number) => Buffer;

/**
 * Returns the encodings of a value in base64, as part of the base64 of a longer text at each of the three alignments,
 * in the standard and the URL-safe alphabet. Edge characters that contain bits of a neighbor are left out; the last
 * one is also tried as it is when the text ends with the value. Padding is not included.
 */
export function base64Encodings(value: Buffer): ByteEncoding[] {
  return [0, 1, 2].flatMap((shift) => {
    const alphabets = /[+/]/.test(base64At(value, shift, 'base64'))
      ? (['base64', 'base64url'] as const)
      : (['base64'] as const);
    const ends = (shift + value.length) % 3 === 0 ? [0] : [0, 1];
    return alphabets.flatMap((alphabet) =>
      ends.map((extra) => (limit: number) => base64Window(value, shift, alphabet, extra, limit)),
    );
  });
}

function base64At(value: Buffer, shift: number, alphabet: 'base64' | 'base64url'): string {
  return Buffer.concat([Buffer.alloc(shift), value]).toString(alphabet);
}

function base64Window(
  value: Buffer,
  shift: number,
  alphabet: 'base64' | 'base64url',
  extra: number,
  limit: number,
): Buffer {
  const from = shift === 0 ? 0 : shift + 1;
  const to = Math.floor(((shift + value.length) * 8) / 6) + extra;
  const end = Math.min(to, from + limit);
  const bytes = Math.ceil((end * 6) / 8) - shift;
  return Buffer.from(base64At(value.subarray(0, bytes), shift, alphabet).slice(from, end));
}

/** Returns the encodings of a value in hexadecimal, in both cases. */
export function hexEncodings(value: Buffer): ByteEncoding[] {
  const lower = (limit: number): string =>
    value
      .subarray(0, Math.ceil(limit / 2))
      .toString('hex')
      .slice(0, limit);
  return [(limit) => Buffer.from(lower(limit)), (limit) => Buffer.from(lower(limit).toUpperCase())];
}
