// What a reader takes for one character: a letter with its accents, a flag, a family of emoji.

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Whether a text may have characters of several code points, besides surrogates: marks, joiners, jamo, flags, skin tones. */
const MAY_JOIN = /\p{M}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\u200d/u;

export const graphemes = (text: string): readonly string[] =>
  MAY_JOIN.test(text) ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];

/**
 * Returns functions that move an offset out of a character: to its end, or to its beginning.
 *
 * @example snapTo('e\u0301t').end(1) // 2
 */
export function snapTo(text: string): { end(offset: number): number; start(offset: number): number } {
  if (!MAY_JOIN.test(text)) return { end: (offset) => offset, start: (offset) => offset };
  const segments = segmenter.segment(text);
  const around = (offset: number) => (offset <= 0 || offset >= text.length ? null : segments.containing(offset));
  return {
    end(offset) {
      const found = around(offset);
      return found && found.index < offset ? found.index + found.segment.length : offset;
    },
    start: (offset) => around(offset)?.index ?? offset,
  };
}
