// Canonical JSON, independent of the order of keys, for comparing requests.
import { ApiError } from './error-catalog.js';

const DEEPEST = 100;

/**
 * Returns JSON with object keys sorted by code unit, or an empty string for `undefined` (no body).
 * Throws invalid_json for values nested more than 100 levels deep.
 *
 * @example canonicalJson({ b: 1, a: [true, null] }) // '{"a":[true,null],"b":1}'
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw new ApiError('invalid_json', { message: 'The body is nested too deeply.' });
  if (value === undefined) return '';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
