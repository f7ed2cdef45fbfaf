import type { Caller, Level } from '../../platform/domain/caller.js';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import type { AnyRoute } from '../../platform/http/route.js';

/** Throws unless the caller has the route's level. Levels are independent: manage does not imply read. */
export function permitInApi(caller: Caller, route: AnyRoute): void {
  const { level } = route;
  if (level === null || caller.levels.includes(level)) return;
  throw new ApiError(lackOf(level, caller.levels), {
    ...(caller.person ? { message: `The role ${caller.person.role} does not permit this.` } : {}),
    detail: { required_level: level, required_scope: `agent:${level}`, key_levels: [...caller.levels] },
  });
}

function lackOf(required: Level, held: readonly Level[]): ErrorCode {
  if (required === 'read') return 'api_key_write_only';
  if (held.length === 1 && held[0] === 'read') return 'api_key_read_only';
  return 'insufficient_scope';
}

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
