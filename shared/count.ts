/**
 * A number with its noun.
 *
 * @example countOf(1, 'minute') // '1 minute'
 * @example countOf(3, 'entry', 'entries') // '3 entries'
 */
export function countOf(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}
