// Finds routes by path: for 405 and OPTIONS responses, and to check that a suggested request exists.
import type { AnyRoute } from './route.js';

export type RouteIndex = ReturnType<typeof createRouteIndex>;

export function createRouteIndex(routes: readonly AnyRoute[]) {
  const entries = routes.map((route) => ({ route, pattern: pattern(route.path) }));
  // A literal segment takes precedence over a parameter, as in the router.
  const at = (path: string) => {
    const fitting = entries.filter((entry) => entry.pattern.test(path));
    const literal = fitting.filter((entry) => !entry.route.path.includes(':'));
    return (literal.length > 0 ? literal : fitting).map((entry) => entry.route);
  };
  return {
    /** Returns the matching route, or null. `path` is relative to the root of the API, without a query. */
    match: (method: string, path: string): AnyRoute | null => at(path).find((route) => route.method === method) ?? null,
    /** Returns the methods of this path for an Allow header; empty if the path does not exist. */
    methods(path: string): string[] {
      const methods = new Set<string>(at(path).map((route) => route.method));
      if (methods.size === 0) return [];
      if (methods.has('GET')) methods.add('HEAD');
      return [...methods.add('OPTIONS')].sort();
    },
  };
}

function pattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+')}$`);
}
