// Suggested requests of a failed request, complete and ready to send: those of the code that threw the error, or those of
// the error's row in the catalog.
import { isObject } from '../../../shared/is-object.js';
import { API_ROOT } from '../domain/addresses.js';
import { type Corrected, errorCatalog } from '../domain/error-catalog.js';
import type { NextRequest, Suggestion } from '../domain/errors/row.js';
import type { Suggest } from './api-envelope.js';
import type { RouteIndex } from './route-index.js';

/**
 * Returns a function that gives the suggestions attached to the error, or else those of the error's row. Leaves out
 * requests that the caller is not allowed to send and paths that do not exist.
 *
 * @param base root of the API for this caller
 */
export function createSuggest(base: string, index: RouteIndex): Suggest {
  return (error, { method, url, params, body, levels }) => {
    const own = error.next.map((next) =>
      next.path.startsWith(`${API_ROOT}/`) ? { ...next, path: base + next.path.slice(API_ROOT.length) } : next,
    );
    const values = { ...error.detail, ...params };
    const corrected = error.corrected ? [correctedRequest(error.corrected, method, url)] : own;
    const complete = (suggestion: Suggestion): NextRequest | null => {
      if (suggestion === 'repeat') return method === 'GET' ? { action: 'retry', method, path: url } : null;
      if (suggestion === 'page') {
        return { action: 'read_about_this_code', method: 'GET', path: `/docs/errors/${error.code}.md` };
      }
      const { action } = suggestion;
      if ('site' in suggestion) return { action, method: 'GET', path: suggestion.site };
      if ('path' in suggestion) {
        const path = filledPath(suggestion.path, values);
        return path === null ? null : { action, method: 'GET', path: base + path };
      }
      const change = filledFields(suggestion.change, values);
      return change && { action, method, path: url, body: { ...(isObject(body) ? body : {}), ...change } };
    };
    const suggestions = corrected.length > 0 ? corrected : firstOf(errorCatalog[error.code].next, complete);
    return suggestions.filter((next) => {
      if (!next.path.startsWith(`${base}/`)) return true;
      const route = index.match(next.method, next.path.slice(base.length).split('?', 1)[0] ?? '');
      if (!route) return false;
      return route.level === null || levels?.includes(route.level) === true;
    });
  };
}

function correctedRequest(corrected: Corrected, method: string, url: string): NextRequest {
  const action = 'send_corrected';
  if ('body' in corrected) return { action, method, path: url, body: corrected.body };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(corrected.query)) query.append(name, String(value));
  return { action, method, path: `${url.split('?', 1)[0]}?${query}` };
}

/** Returns the first suggestion that can be completed, in a list; an empty list if there is none. */
function firstOf(
  suggestions: readonly Suggestion[],
  complete: (suggestion: Suggestion) => NextRequest | null,
): readonly NextRequest[] {
  for (const suggestion of suggestions) {
    const request = complete(suggestion);
    if (request) return [request];
  }
  return [];
}

type Values = Readonly<Record<string, unknown>>;

/** Returns null if a `{name}` of the path has no value. */
function filledPath(path: string, values: Values): string | null {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (!names.every((name) => typeof values[name] === 'string')) return null;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** Returns null if a field that is a `{name}` has no value. */
function filledFields(fields: Values, values: Values): Record<string, unknown> | null {
  const filled = Object.entries(fields).map(([field, value]) => {
    const name = typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
    return [field, name === undefined ? value : values[name]] as const;
  });
  return filled.every(([, value]) => value !== undefined) ? Object.fromEntries(filled) : null;
}
