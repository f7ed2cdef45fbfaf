import type { QueryValue } from '../../../client/operations/operation.js';

export type Query = Readonly<Record<string, QueryValue>>;

/**
 * Returns the query of an address, with `?`, or `&` if the path has one already. Values that are null, undefined or ''
 * are left out.
 *
 * @example queryText('/builds', { status: 'failed', repo: '' }) // '?status=failed'
 */
export function queryText(path: string, query: Query = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') pairs.append(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `${path.includes('?') ? '&' : '?'}${text}`;
}
