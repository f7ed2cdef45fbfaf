// Reads text from a file or standard input. Invalid UTF-8 is an error, because decoding would replace it silently.
import { firstInvalidByte } from '../../shared/utf8.js';
import { UsageError } from './usage-error.js';

/**
 * Returns the bytes as text.
 *
 * @param what names where they came from, e.g. a file
 * @throws UsageError when they are not UTF-8
 */
export function utf8Input(bytes: Buffer, what: string): string {
  const at = firstInvalidByte(bytes);
  if (at === null) return bytes.toString();
  const value = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  throw new UsageError(`${what} is not UTF-8: the byte at offset ${at} (0x${value}) does not belong to a character`);
}

/**
 * Refuses an argument, or a line typed on a terminal, that holds U+FFFD: Node puts it in place of bytes that are not UTF-8,
 * which cannot be told from one that was typed.
 *
 * @param instead says how to give such text
 * @throws UsageError
 */
export function wholeText(text: string, what: string, instead: string): string {
  if (!text.includes('\ufffd')) return text;
  throw new UsageError(`${what} is not UTF-8, or holds the character U+FFFD: ${instead}`);
}
