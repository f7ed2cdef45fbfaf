// Text with the character NUL, which SQLite stores and PostgreSQL refuses: it is written with a noncharacter in its place. What is
// written for it has no other character, which a search for that one would find.

/** Stands for NUL. */
const ZERO = '\u{10fffe}';
/** Stands before one of these two noncharacters, so that a text that holds one keeps its meaning, too. */
const MARK = '\u{ffffe}';
const NUL = '\0';

const SPECIAL = /[\0\u{ffffe}\u{10fffe}]/gu;
const WRITTEN = /\u{ffffe}[\u{ffffe}\u{10fffe}]|\u{10fffe}/gu;

/** Returns the text as it is stored. */
export const storedText = (text: string): string =>
  text.includes(NUL) || text.includes(ZERO) || text.includes(MARK)
    ? text.replace(SPECIAL, (found) => (found === NUL ? ZERO : MARK + found))
    : text;

/** Returns the text as it was given to `storedText`. */
export const givenText = (stored: string): string =>
  stored.includes(ZERO) || stored.includes(MARK)
    ? stored.replace(WRITTEN, (found) => (found === ZERO ? NUL : found.slice(MARK.length)))
    : stored;
