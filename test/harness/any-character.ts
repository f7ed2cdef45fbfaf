import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any Unicode character except lone surrogates. `fc.string({ unit: anyCharacter })` replaces `unit: 'binary'`, which takes
 * more than a second to build a table of all characters.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES),
  // The inverse, so that fast-check can include dangerous JavaScript names such as `__proto__`.
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || character !== String.fromCodePoint(point)) throw new Error('not a single character');
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
