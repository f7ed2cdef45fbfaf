// The pages of the console, by address. A page is a component that `pages/<page>/page.tsx` exports as default; it is
// loaded when somebody goes there. To add one: its address in addresses.ts, a line in `pages` below, and what the side
// bar shows in navigation.ts.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Address } from './addresses.js';
import { parseSearch, stringifySearch } from './data/search.js';
import { findSession } from './data/session.js';
import { homeOf } from './shell/home.js';
import { OrganizationLayout } from './shell/organization-layout.js';
import { PageFailure, PageMissing, PagePending } from './shell/page-states.js';
import { PersonLayout } from './shell/person-layout.js';

type Page = () => ReactNode;
type Load = () => Promise<{ default: Page }>;

const pages: Partial<Record<Address, Load>> = {
  '/': () => import('./pages/home/page.js'),
  '/sign-in': () => import('./pages/sign-in/page.js'),
  '/first-owner': () => import('./pages/first-owner/page.js'),
  '/o/$org': () => import('./pages/overview/page.js'),
  '/o/$org/secrets': () => import('./pages/secrets/page.js'),
};

const root = createRootRoute({ component: Outlet, notFoundComponent: PageMissing });

async function needSession({ location }: { location: { href: string } }) {
  if (!(await findSession())) throw redirect({ to: '/sign-in', search: { next: location.href } as never });
}

const layout = (id: string, component: Page) =>
  createRoute({ getParentRoute: () => root, id, component, beforeLoad: needSession });

const layouts = {
  organization: layout('organization', OrganizationLayout),
  operator: layout('operator', lazyRouteComponent(() => import('./shell/operator-layout.js')) as Page),
  person: layout('person', PersonLayout),
};

/** Pages that need no session. */
const open: readonly Address[] = ['/sign-in', '/first-owner', '/invite', '/shared/$token'];

const layoutOf = (address: Address) =>
  address.startsWith('/o/')
    ? layouts.organization
    : address.startsWith('/operator')
      ? layouts.operator
      : layouts.person;

const routeOf = ([address, load]: [Address, Load]) =>
  createRoute({
    getParentRoute: () => (open.includes(address) ? root : layoutOf(address)) as typeof root,
    path: address,
    component: lazyRouteComponent(load),
    ...(address === '/' ? { beforeLoad: homeOf } : {}),
  });

const entries = Object.entries(pages) as [Address, Load][];
const below = (parent: unknown) =>
  entries.filter(([address]) => !open.includes(address) && layoutOf(address) === parent).map(routeOf);

/** What no page has, below a layout: so that its side bar stays. */
const missing = (parent: typeof layouts.organization, path: string) =>
  createRoute({ getParentRoute: () => parent, path, component: PageMissing });

const { organization, operator, person } = layouts;
const tree = root.addChildren([
  ...entries.filter(([address]) => open.includes(address)).map(routeOf),
  organization.addChildren([...below(organization), missing(organization, '/o/$org/$')]),
  operator.addChildren([...below(operator), missing(operator, '/operator/$')]),
  person.addChildren(below(person)),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: PageMissing,
  defaultPendingComponent: PagePending,
});
