// The callers, and the result that the tables of levels and roles define for each of them on each route.
import { type Level, levels } from '../../../control-plane/platform/domain/caller.js';
import type { Role } from '../../../control-plane/platform/domain/role.js';
import type { AnyRoute } from '../../../control-plane/platform/http/route.js';
import { type ApiName, nameOf } from './requests.js';

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly as:
    | { readonly levels: readonly Level[] }
    | { readonly role: Role }
    /** No access at all: the error code of each API. */
    | { readonly refused: string; readonly inConsole: string };
}

/** The seven sets of levels that a key can have. */
export const keyLevels: readonly (readonly Level[])[] = Array.from({ length: 7 }, (_, at) =>
  levels.filter((_level, bit) => ((at + 1) >> bit) & 1),
);

/** ADR 18 and docs/accounts.md: what a person may do by the role. */
const levelsOfRole: Readonly<Record<Role, readonly Level[]>> = {
  owner: levels,
  admin: levels,
  developer: ['read', 'build'],
};

/** Roles for routes whose handlers decide: a developer may remove only the own membership. */
const rolesInHandler: Readonly<Record<string, readonly Role[]>> = {
  'DELETE /v1/organizations/:org_id/members/:user_id': ['owner', 'admin'],
};

/** Returns the code with which the route refuses this caller for any resource, or null if it does not. */
export function refusalOf(api: ApiName, route: AnyRoute, { as }: Caller): string | null {
  const { level, consoleOnly = false, sessionScope } = route;
  const roles = route.roles ?? rolesInHandler[nameOf(route)];
  if (level === null) return null;
  if ('refused' in as) {
    if (api === 'api') return as.refused;
    const anonymous = as.refused === 'api_key_required';
    if (consoleOnly) return anonymous ? 'session_required' : 'console_only';
    return as.inConsole;
  }
  if ('role' in as) {
    if (api === 'api') return levelsOfRole[as.role].includes(level) ? null : 'insufficient_scope';
    if (!consoleOnly && sessionScope === undefined) return 'api_key_required';
    const mayRun = level === 'read' || levelsOfRole[as.role].some((one) => one !== 'read');
    return mayRun && (roles ?? [as.role]).includes(as.role) ? null : 'insufficient_permission';
  }
  if (api === 'console') {
    if (consoleOnly) return 'console_only';
    const may = level === 'read' || as.levels.some((one) => one !== 'read');
    return may ? null : 'insufficient_permission';
  }
  if (as.levels.includes(level)) return null;
  if (level === 'read') return 'api_key_write_only';
  return as.levels.join() === 'read' ? 'api_key_read_only' : 'insufficient_scope';
}
