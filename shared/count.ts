/**
 * Returns a number with its noun.
 *
 * @example countOf(1, 'minute') // '1 minute'
 * @example countOf(3, 'entry', 'entries') // '3 entries'
 */
export function countOf(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}

/**
 * Returns a part of a number with its noun and verb.
 *
 * @example partWas(1, 5, 'artifact') // '1 of 5 artifacts was'
 */
export function partWas(part: number, count: number, one: string): string {
  return `${part} of ${countOf(count, one)} ${part === 1 ? 'was' : 'were'}`;
}
