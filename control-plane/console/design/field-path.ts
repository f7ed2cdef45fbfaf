// Which field a problem belongs to, and the text of a problem as a sentence of its own.

/**
 * Returns whether a problem is in a field. A path may lack the object that the field is in.
 *
 * @example isWithin('levels.0', 'levels') // true
 * @example isWithin('slots', 'set.slots') // true
 */
export const isWithin = (path: string, name: string): boolean =>
  path === name || path.startsWith(`${name}.`) || (path !== '' && name.endsWith(`.${path}`));

/** Returns the field that a path belongs to, the most particular one, or null. */
export const ownerOf = (path: string, names: readonly string[]): string | null =>
  names
    .filter((name) => isWithin(path, name))
    .sort((a, b) => b.length - a.length)
    .at(0) ?? null;

/**
 * Returns a text as a sentence of its own.
 *
 * @example asSentence('must be at least 1', []) // 'Must be at least 1.'
 */
export function asSentence(text: string, values: readonly (string | number)[]): string {
  const beginsWithValue = values.some((value) => String(value) !== '' && text.startsWith(String(value)));
  const begun = beginsWithValue ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}
