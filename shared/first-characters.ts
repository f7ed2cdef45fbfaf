/**
 * Returns the first `most` characters (UTF-16 code units) of a text, or one fewer where the last would be half of a
 * surrogate pair.
 */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(most - 1)) && /[\udc00-\udfff]/.test(text.charAt(most));
  return text.slice(0, isHalf ? most - 1 : most);
}
