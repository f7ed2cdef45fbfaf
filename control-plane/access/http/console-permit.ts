import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { AnyRoute } from '../../platform/http/route.js';

/** Any key has the permission read; the levels build and manage add run. A person needs one of the route's roles. */
export function permitInConsole(caller: Caller, route: AnyRoute): void {
  if (caller.person && route.roles && !route.roles.includes(caller.person.role)) {
    throw new ApiError('insufficient_permission');
  }
  if (route.level === null || route.level === 'read') {
    if (caller.levels.length > 0) return;
  } else if (caller.levels.includes('build') || caller.levels.includes('manage')) return;
  throw new ApiError('insufficient_permission');
}
