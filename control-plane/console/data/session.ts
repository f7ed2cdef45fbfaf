// The signed-in person, their organizations and roles.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { completeSignIn, getSession, signIn, signOut } from '../../../client/operations/console.js';
import type { Session } from '../../../client/types.js';
import { useFormat } from '../words/language.js';
import { setServiceTime } from '../words/use-now.js';
import { call, send, sendOnce } from './api.js';
import { Failure } from './failure.js';
import { useMutation } from './mutation.js';
import type { Place } from './place.js';
import { queryClient } from './query-client.js';
import type { Role } from './role.js';

export type Organization = Session['organizations'][number];
export type { Role };

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  async queryFn({ signal }) {
    const session = await send(call(getSession), { signal });
    setServiceTime(session.now);
    return session;
  },
  staleTime: 60_000,
});

/** Returns the session, or null if nobody is signed in. */
export async function findSession(): Promise<Session | null> {
  try {
    return await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (error instanceof Failure && error.code === 'session_required') return null;
    throw error;
  }
}

/** The session that the page has, which may have ended; null: there was none when it was opened. */
export const knownSession = (): Session | null => queryClient.getQueryData(sessionQuery.queryKey) ?? null;

/** The signed-in person. Only on pages that need a session. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Returns whether the service sends e-mail. Only on pages that need a session. */
export const useSendsMail = (): boolean => useSession().sends_mail;

/** Settings of the service. Only on pages that need a session. */
export const useLimits = (): Session['limits'] => useSession().limits;

/**
 * A period that the operator of the service has set, in words. Only on pages that need a session.
 *
 * @example useTimeLimit('invite_s') // '7 days'
 */
export const useTimeLimit = (name: Extract<keyof Session['limits'], `${string}_s`>): string =>
  useFormat().span(useLimits()[name] * 1_000);

export type CurrentOrganization = Organization & Place;

/**
 * The organization of the address, with the workspace that the person selected (`null`: all). Only below `/o/:org`.
 *
 * @example const org = useOrganization(); useQuery(buildsQuery(org))
 */
export function useOrganization(): CurrentOrganization {
  const found = useOrganizationHere();
  if (!found) throw new Failure({ status: 404, code: 'not_found', message: 'There is no such organization.' });
  return found;
}

/** The same on every page that needs a session; null on those that are about no organization of the person. */
export function useOrganizationHere(): CurrentOrganization | null {
  const { organizations } = useSession();
  const { org } = useParams({ strict: false });
  const { workspace } = useSearch({ strict: false }) as { workspace?: string };
  const found = organizations.find(({ slug }) => slug === org);
  if (!found) return null;
  const known = found.workspaces.some(({ id }) => id === workspace);
  return { ...found, workspace: known && workspace !== undefined ? workspace : null };
}

/** The selected workspace, or the only one; null when one has to be chosen. For what must name a workspace. */
export const workspaceOf = ({ workspace, workspaces }: CurrentOrganization): string | null =>
  workspace ?? (workspaces.length === 1 ? (workspaces[0]?.id ?? null) : null);

/** True when the person has one of the roles in the organization of the address. */
export const useMay = (roles: readonly Role[]): boolean => roles.includes(useOrganization().role);

export const MANAGERS: readonly Role[] = ['owner', 'admin'];

/** Takes over a session that a response brought, e.g. of signing in. Everything else that is known is forgotten. */
export function takeSession(session: Session | null): void {
  queryClient.clear();
  if (!session) return;
  setServiceTime(session.now);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

/** The caller takes over the session. */
export const useSignIn = () =>
  useMutation({
    mutationFn: (body: { email: string; password: string }) => send(call(signIn, body)),
  });

/** With the code after the password. The caller takes over the session. */
export const useCompleteSignIn = () =>
  useMutation({
    mutationFn: (body: { token: string; code: string }) => send(call(completeSignIn, body)),
  });

export const useSignOut = () =>
  useMutation({
    // A person whose session has ended is not asked to sign in for signing out.
    mutationFn: () =>
      sendOnce(call(signOut)).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'session_required') throw error;
      }),
    onSuccess: () => takeSession(null),
  });
