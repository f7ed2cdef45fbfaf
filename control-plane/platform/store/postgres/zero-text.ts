// Text with the character NUL, which SQLite stores and PostgreSQL refuses: it is written with a noncharacter in its place.

/** Stands before what it stands for, so that a text that holds it keeps its meaning, too. */
const MARK = '\u{10fffe}';
const NUL = '\0';

/** Returns the text as it is stored. */
export const storedText = (text: string): string =>
  text.includes(NUL) || text.includes(MARK) ? text.replaceAll(MARK, `${MARK}1`).replaceAll(NUL, `${MARK}0`) : text;

/** Returns the text as it was given to `storedText`. */
export const givenText = (stored: string): string =>
  stored.includes(MARK) ? stored.replaceAll(`${MARK}0`, NUL).replaceAll(`${MARK}1`, MARK) : stored;
