// Moving an offset that lies inside a character of UTF-8 to where the next one begins.
import { characterLength, isContinuation } from '../../../shared/utf8.js';

/**
 * Bytes to go forward from `at` to reach the next character, when `at` lies inside one: 0 to 3.
 * `bytes` holds at least the three bytes before and after `at`, as far as they exist.
 */
export function forwardToCharacter(bytes: Buffer, at: number): number {
  if (!isContinuation(bytes[at])) return 0;
  for (let lead = at - 1; lead >= Math.max(0, at - 3); lead--) {
    const byte = bytes[lead] ?? 0;
    if (isContinuation(byte)) continue;
    let end = at;
    while (end < lead + characterLength(byte) && isContinuation(bytes[end])) end++;
    return end - at;
  }
  return 0;
}
