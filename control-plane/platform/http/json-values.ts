// Counts the values of JSON before it is parsed: what parsing costs depends on their number more than on the bytes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A comma or an opening bracket stands before each element of an array and each member of an object. */
const SEPARATORS = Uint8Array.from({ length: 256 }, (_, byte) => (',[{'.includes(String.fromCharCode(byte)) ? 1 : 0));

/** Whether there are more than `most` values, without looking at strings; text that is no JSON may give either. */
export function hasMoreValues(json: Buffer, most: number): boolean {
  if (json.length <= most) return false;
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] ?? 0;
    if (byte === QUOTE) i = endOfString(json, i);
    else if (SEPARATORS[byte] === 1 && ++values > most) return true;
  }
  return false;
}

/** Returns the index of the quote that ends the string beginning at `start`. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (json[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return json.length;
}
