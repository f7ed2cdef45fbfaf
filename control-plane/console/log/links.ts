// Finds addresses in a line. Only https becomes a link, and a link always shows where it leads: links of programs whose
// text differs from their address (OSC 8) are not followed.

export interface Piece {
  readonly text: string;
  /** The address, if the piece is a link. */
  readonly href?: string;
}

const ADDRESS = /https:\/\/[^\s<>"'`\\^{|}\p{C}]+/gu;
const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[' };
/** Longer ones are text. */
export const LONGEST_LINK = 2_048;

/** @example withLinks('see https://a.b/c).') // 'see ', 'https://a.b/c' as a link, ').' */
export function withLinks(text: string): readonly Piece[] {
  if (!text.includes('https://')) return [{ text }];
  const pieces: Piece[] = [];
  let done = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = trimmed(found);
    if (address.length > LONGEST_LINK || !URL.canParse(address)) continue;
    if (index > done) pieces.push({ text: text.slice(done, index) });
    pieces.push({ text: address, href: address });
    done = index + address.length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done) });
  return pieces;
}

/** Without punctuation of the sentence around it. */
function trimmed(address: string): string {
  /** How many more closing brackets there are than opening ones. */
  const surplus = new Map(
    Object.entries(CLOSING).map(([closing, opening]) => [closing, count(address, closing) - count(address, opening)]),
  );
  for (let end = address.length; ; end--) {
    const last = address.charAt(end - 1);
    const more = surplus.get(last) ?? 0;
    if (!/[.,;:!?*]/.test(last) && more <= 0) return address.slice(0, end);
    surplus.set(last, more - 1);
  }
}

const count = (text: string, part: string) => text.split(part).length - 1;
