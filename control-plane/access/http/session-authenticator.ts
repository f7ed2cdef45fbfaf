// Authenticates a session and finds the organization that a request is about. Order of the checks: cookie, origin,
// session, membership, suspended. The role is checked by the route.

import type { FastifyRequest } from 'fastify';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Membership, SignedIn } from '../../platform/domain/person.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { requireSameOrigin } from '../../platform/http/same-origin.js';
import type { Sessions } from '../app/sessions.js';
import { roleLevels } from '../domain/session.js';
import type { SessionCookie } from './session-cookie.js';

export interface SessionAuthenticatorDeps {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly siteUrl: string;
  /** The workspace of the upload that the path names, or null. */
  workspaceOfFile(fileId: string): Promise<string | null>;
  clientIp(request: FastifyRequest): string;
}

export type SessionAuthenticator = ReturnType<typeof createSessionAuthenticator>;

export function createSessionAuthenticator(deps: SessionAuthenticatorDeps) {
  const { sessions, cookie, siteUrl, clientIp } = deps;

  /** Always queries the database, so that a missing workspace takes as long as one that the person must not see. */
  const inWorkspace = async (person: SignedIn, workspaceId: string | null) => {
    const membership = await sessions.workspaceMembership(person.userId, workspaceId ?? '');
    return membership && { membership, workspaceId };
  };

  /** Uses the workspace in the query, which must be in the organization; without one, all that the person can see. */
  const inOrganization = async (request: FastifyRequest, person: SignedIn, orgId: string) => {
    const workspaceId = text(request.query, 'workspace_id');
    if (workspaceId === null) {
      const membership = await sessions.membership(person.userId, orgId);
      return membership && { membership, workspaceId };
    }
    const found = await inWorkspace(person, workspaceId);
    if (found?.membership.account.orgId !== orgId) return null;
    // Owners and admins can read a removed workspace.
    return request.method === 'GET' || (await sessions.isLiveWorkspace(workspaceId)) ? found : null;
  };

  const place = async (request: FastifyRequest, route: AnyRoute, person: SignedIn) => {
    const orgId = text(request.params, 'org_id');
    if (orgId !== null) return inOrganization(request, person, orgId);
    if (route.sessionScope === 'file') {
      return inWorkspace(person, await deps.workspaceOfFile(text(request.params, 'file_id') ?? ''));
    }
    const workspaceId = text(request.query, 'workspace_id');
    if (workspaceId !== null) return inWorkspace(person, workspaceId);
    throw fieldError('invalid_request', 'workspace_id', fieldProblem('required'), {
      message: 'workspace_id is required with a session.',
    });
  };

  return {
    /** Returns the person, or null without a live session. Throws forbidden for a cross-site request. */
    async person(request: FastifyRequest): Promise<SignedIn | null> {
      const token = cookie.read(request.headers.cookie);
      if (token === null) return null;
      requireSameOrigin(request, siteUrl);
      // Otherwise a page that is left open would keep the session alive by the checks of its stream and its reads of
      // changes.
      const isUse = !request.session && request.headers['service-unattended'] === undefined;
      return isUse ? sessions.find(token) : sessions.find(token, 'none');
    },

    /**
     * Returns the person as a caller in the organization of the path or of `sessionScope`; null when the route is about
     * the person alone. Throws not_found when the person is not a member.
     */
    async caller(request: FastifyRequest, route: AnyRoute, person: SignedIn): Promise<Caller | null> {
      const { sessionScope = 'person' } = route;
      if (text(request.params, 'org_id') === null && sessionScope === 'person') return null;
      const found = await place(request, route, person);
      if (!found || found.membership.account.status === 'closed') throw new ApiError('not_found');
      const { account, role, workspaceIds }: Membership = found.membership;
      if (account.status === 'suspended') throw new ApiError('organization_suspended');
      const workspaceId = found.workspaceId ?? (await sessions.defaultWorkspace(found.membership));
      // A person without a workspace is still a member, who sees notices and members, and may leave.
      if (workspaceId === null && !route.consoleOnly) {
        throw new ApiError('forbidden', { message: 'You are not in any workspace of this organization.' });
      }
      return {
        account,
        workspaceId: workspaceId ?? '',
        workspaceIds: found.workspaceId === null ? workspaceIds : [found.workspaceId],
        key: null,
        person: { userId: person.userId, email: person.email, role },
        levels: roleLevels(role),
        ip: clientIp(request),
      };
    },
  };
}

/** A parameter with a single text value; null when it is missing or repeated. */
function text(from: unknown, name: string): string | null {
  if (typeof from !== 'object' || from === null || !(name in from)) return null;
  const value: unknown = Reflect.get(from, name);
  return typeof value === 'string' ? value : null;
}
