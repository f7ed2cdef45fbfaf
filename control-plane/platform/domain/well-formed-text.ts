// Finds text that cannot be stored: a surrogate without its other half, which can only come from an escape in JSON
// ("\ud800"). UTF-8 has no bytes for it, so it would be stored as U+FFFD, another text than was sent.

const surrogate = /\\u[dD][89a-fA-F]/g;
const lowHalf = /\\u[dD][c-fC-F]/y;

/** Length of an escape such as `\ud800`. */
const ESCAPE = 6;

/**
 * Returns the index of the first escape in valid JSON that is half of a surrogate pair, or -1. Reads the text, not the
 * parsed value, whose size would decide how long this takes.
 *
 * @example loneSurrogateIn('{"a":"\\ud83c\\udf4e \\ud800"}') // 19
 */
export function loneSurrogateIn(json: string): number {
  surrogate.lastIndex = 0;
  for (let found = surrogate.exec(json); found; found = surrogate.exec(json)) {
    const at = found.index;
    // `\\ud800` is an escaped backslash, followed by letters.
    if (backslashesBefore(json, at) % 2 === 1) continue;
    lowHalf.lastIndex = at + ESCAPE;
    if (!/[89abAB]/.test(json[at + 3] ?? '') || !lowHalf.test(json)) return at;
    surrogate.lastIndex = at + 2 * ESCAPE;
  }
  return -1;
}

function backslashesBefore(text: string, at: number): number {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return at - first;
}
