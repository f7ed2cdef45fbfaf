// Limits lists of warnings, because a build can cause any number of them.

const MORE = /^(\d{1,9}) more warnings\.$/;

/**
 * Returns the first warnings, and a sentence with the number of the others. Keeps the number of a list that was limited
 * before.
 *
 * @example firstWarnings(['a', 'b', 'c'], 2) // ['a', '2 more warnings.']
 */
export function firstWarnings(warnings: readonly string[], most: number): string[] {
  if (warnings.length <= most) return [...warnings];
  const left = warnings.slice(most - 1);
  const counted = MORE.exec(String(left.at(-1)))?.[1];
  return [...warnings.slice(0, most - 1), `${left.length - 1 + Number(counted ?? 1)} more warnings.`];
}
