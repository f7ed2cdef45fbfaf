// JSON kept as text. What a column holds is checked when it is read: a cast would only claim it.

/** A list of strings; throws on anything else. */
export function readStrings(column: string): string[] {
  const value: unknown = JSON.parse(column);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('a column that should hold a list of strings holds something else');
  }
  return value;
}
