// How many columns of a terminal a character takes.
import { graphemes } from './graphemes.js';

const NONE = /^(?:[\p{Mn}\p{Me}\p{Cf}]|[\u{1f3fb}-\u{1f3ff}])$/u;
/** East Asian wide and full-width characters, and emoji that are pictures by default. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
/** Whether a text may have wide characters at all. */
const MAY_BE_WIDE = /[\u1100-\uffff\u{10000}-\u{3fffd}]/u;

/** @param character one code point */
export function widthOf(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Returns the columns of a text, tabs at every eighth. */
export function columnsOf(text: string): number {
  if (!text.includes('\t') && !/[\u0300-\u{10ffff}]/u.test(text)) return text.length;
  let columns = 0;
  for (const character of graphemes(text)) columns += character === '\t' ? 8 - (columns % 8) : widthTogether(character);
  return columns;
}

/** The columns of code points that are shown as one character. */
function widthTogether(character: string): 0 | 1 | 2 {
  // A picture on request.
  if (character.length > 1 && character.includes('\ufe0f')) return 2;
  const widths = Array.from(character, widthOf);
  return widths.includes(2) ? 2 : widths.includes(1) ? 1 : 0;
}

/** Splits a text into parts of only wide characters and parts without any. */
export function byWidth(text: string): readonly { readonly text: string; readonly isWide: boolean }[] {
  if (!MAY_BE_WIDE.test(text)) return [{ text, isWide: false }];
  const parts: { text: string; isWide: boolean }[] = [];
  for (const character of graphemes(text)) {
    const width = widthTogether(character);
    const last = parts.at(-1);
    // What has no width belongs to the character before it.
    if (last && (width === 0 || (width === 2) === last.isWide)) last.text += character;
    else parts.push({ text: character, isWide: width === 2 });
  }
  return parts;
}
