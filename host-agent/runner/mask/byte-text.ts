// Bytes as a text, in which each byte that is not part of a UTF-8 character is a lone surrogate (U+DC80 to U+DCFF). So the
// encodings of texts serve for any bytes; Python names such texts `surrogateescape`.
import { isUtf8 } from 'node:buffer';

const ESCAPED = 0xdc00;
const LONGEST_CHARACTER = 4;

/** Returns the text of any bytes; `bytesOf` returns the bytes again. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    if (length === 0) parts.push(String.fromCharCode(ESCAPED + (bytes[at] ?? 0)));
    else parts.push(bytes.toString('utf8', at, at + length));
    at += Math.max(1, length);
  }
  return parts.join('');
}

/** Returns the bytes of such a text, or of a part of one. */
export function bytesOf(text: string): Buffer {
  if (!/\p{Surrogate}/u.test(text)) return Buffer.from(text);
  return Buffer.concat(
    [...text].map((char) => {
      const code = char.charCodeAt(0);
      return isEscaped(code) && char.length === 1 ? Buffer.of(code - ESCAPED) : Buffer.from(char);
    }),
  );
}

const isEscaped = (code: number): boolean => code >= ESCAPED + 0x80 && code <= ESCAPED + 0xff;

/** Returns the length of the character that begins there; 0 if none does. */
function characterAt(bytes: Buffer, at: number): number {
  if ((bytes[at] ?? 0) < 0x80) return 1;
  for (let length = 2; length <= LONGEST_CHARACTER; length++) {
    if (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
