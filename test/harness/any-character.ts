import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any character of Unicode, half pairs excluded: `fc.string({ unit: anyCharacter })` for `unit: 'binary'`, which spends
 * more than a second on a table of all characters.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES),
  // Back again, so that fast-check can mix in its names that are dangerous in JavaScript.
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || character !== String.fromCodePoint(point))
      throw new Error('not one character');
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
