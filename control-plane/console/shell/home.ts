// Where `/` leads: to the organization that was open last.
import { redirect } from '@tanstack/react-router';
import { findSession } from '../data/session.js';

const KEY = 'cidermill_organization';

/** Remembers the organization (slug) for the next visit. */
export function rememberOrganization(slug: string): void {
  try {
    localStorage.setItem(KEY, slug);
  } catch {
    // A browser that stores nothing opens the first organization.
  }
}

function lastOrganization(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Storage is forbidden.
    return null;
  }
}

/** Redirects to the last or first organization, or operators without one to their pages. */
export async function homeOf(): Promise<void> {
  const session = await findSession();
  if (!session) return;
  const { organizations, user } = session;
  const last = lastOrganization();
  const found = organizations.find(({ slug }) => slug === last) ?? organizations[0];
  if (found) throw redirect({ to: '/o/$org', params: { org: found.slug } as never, replace: true });
  if (user.operator) throw redirect({ to: '/operator', replace: true });
}
