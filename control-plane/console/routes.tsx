// The pages of the console, by address. A page is a component that `pages/<page>/page.tsx` exports as default; it is
// loaded when somebody goes there. To add one: its address in addresses.ts, a line in `pages` below, and what the side
// bar shows in navigation.ts.
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Address } from './addresses.js';
import { parseSearch, stringifySearch } from './data/search.js';
import { findSession } from './data/session.js';
import { homeOf } from './shell/home.js';
import { lazyPart } from './shell/lazy-part.js';
import { PageFailure, PageMissing, PagePending } from './shell/page-states.js';
import { PageUnloaded } from './shell/page-unloaded.js';

type Page = () => ReactNode;
type Load = () => Promise<{ default: Page }>;

const pages: Partial<Record<Address, Load>> = {
  '/': () => import('./pages/home/page.js'),
  '/sign-in': () => import('./pages/sign-in/page.js'),
  '/sign-in/provider': () => import('./pages/identity-provider/page.js'),
  '/first-owner': () => import('./pages/first-owner/page.js'),
  '/o/$org': () => import('./pages/overview/page.js'),
  '/invite': () => import('./pages/invite/page.js'),
  '/reset-password': () => import('./pages/reset-password/page.js'),
  '/settings': () => import('./pages/settings/page.js'),
  '/o/$org/keys': () => import('./pages/keys/page.js'),
  '/o/$org/members': () => import('./pages/members/page.js'),
  '/o/$org/workspaces': () => import('./pages/workspaces/page.js'),
  '/o/$org/audit': () => import('./pages/audit/page.js'),
  '/o/$org/secrets': () => import('./pages/secrets/page.js'),
  '/o/$org/rent': () => import('./pages/rent/page.js'),
  '/o/$org/orders': () => import('./pages/orders/page.js'),
  '/o/$org/orders/$order_no': () => import('./pages/order/page.js'),
  '/o/$org/orders/$order_no/receipt': () => import('./pages/receipt/page.js'),
  '/o/$org/topups/$order_id/receipt': () => import('./pages/receipt/page.js'),
  '/o/$org/macs': () => import('./pages/macs/page.js'),
  '/o/$org/macs/$rental_id': () => import('./pages/mac/page.js'),
  '/pay/$order_no': () => import('./pages/pay/page.js'),
  '/pay/topup/$order_id': () => import('./pages/top-up/page.js'),
  '/o/$org/billing': () => import('./pages/billing/page.js'),
  '/o/$org/files': () => import('./pages/files/page.js'),
  '/o/$org/errors': () => import('./pages/errors/page.js'),
  '/o/$org/notices': () => import('./pages/notices/page.js'),
  '/o/$org/webhooks': () => import('./pages/webhooks/page.js'),
  '/o/$org/webhooks/$webhook_id': () => import('./pages/webhook/page.js'),
  '/operator': () => import('./pages/operator/fleet/page.js'),
  '/operator/hosts/$host_id': () => import('./pages/operator/host/page.js'),
  '/operator/calendar': () => import('./pages/operator/calendar/page.js'),
  '/operator/tiers': () => import('./pages/operator/tiers/page.js'),
  '/operator/enrollment': () => import('./pages/operator/enrollment/page.js'),
  '/operator/organizations': () => import('./pages/operator/organizations/page.js'),
  '/operator/organizations/$org_id': () => import('./pages/operator/organization/page.js'),
  '/operator/orders': () => import('./pages/operator/orders/page.js'),
  '/operator/orders/$order_no': () => import('./pages/operator/order/page.js'),
  '/operator/waitlist': () => import('./pages/operator/waitlist/page.js'),
  '/operator/payments': () => import('./pages/operator/payments/page.js'),
  '/operator/audit': () => import('./pages/operator/audit/page.js'),
  '/operator/throughput': () => import('./pages/operator/throughput/page.js'),
  '/o/$org/builds': () => import('./pages/builds/page.js'),
  '/o/$org/builds/$build_id': () => import('./pages/build/page.js'),
  '/o/$org/queue': () => import('./pages/queue/page.js'),
  '/builds/$build_id': () => import('./pages/build-link/page.js'),
  '/shared/$token': () => import('./pages/shared/page.js'),
};

const lazyPage = (load: Load) => lazyPart<object>(load, PageUnloaded);

const root = createRootRoute({ component: Outlet, notFoundComponent: PageMissing });

async function needSession({ location }: { location: { href: string } }) {
  if (!(await findSession())) throw redirect({ to: '/sign-in', search: { next: location.href } as never });
}

const layouts = {
  organization: createRoute({
    getParentRoute: () => root,
    path: '/o/$org',
    component: lazyPage(() => import('./shell/organization-layout.js')),
    beforeLoad: needSession,
    notFoundComponent: PageMissing,
  }),
  operator: createRoute({
    getParentRoute: () => root,
    path: '/operator',
    component: lazyPage(() => import('./shell/operator-layout.js')),
    beforeLoad: needSession,
    notFoundComponent: PageMissing,
  }),
  person: createRoute({
    getParentRoute: () => root,
    id: 'person',
    component: lazyPage(() => import('./shell/person-layout.js')),
    beforeLoad: needSession,
    notFoundComponent: PageMissing,
  }),
  payment: createRoute({
    getParentRoute: () => root,
    id: 'payment',
    component: lazyPage(() => import('./shell/payment-layout.js')),
    beforeLoad: needSession,
    notFoundComponent: PageMissing,
  }),
};

/** Pages that need no session. */
const open: readonly Address[] = [
  '/sign-in',
  '/sign-in/provider',
  '/reset-password',
  '/first-owner',
  '/invite',
  '/shared/$token',
];

/** Returns whether the page at a path needs nobody signed in. */
export const isOpen = (pathname: string): boolean =>
  open.some((address) => address.split('/')[1] === pathname.split('/')[1]);

/** The layout of an address, and the rest of the address below it. */
function placeOf(address: Address) {
  const { organization, operator, person, payment } = layouts;
  if (open.includes(address)) return { parent: root, path: address };
  for (const [parent, prefix] of [[organization, '/o/$org'] as const, [operator, '/operator'] as const]) {
    if (address.startsWith(prefix)) return { parent, path: address.slice(prefix.length) || '/' };
  }
  return { parent: address.startsWith('/pay/') ? payment : person, path: address };
}

const routeOf = ([address, load]: [Address, Load]) =>
  createRoute({
    getParentRoute: () => placeOf(address).parent as typeof root,
    path: placeOf(address).path,
    component: lazyPage(load),
    ...(address === '/' ? { beforeLoad: homeOf } : {}),
  });

const entries = Object.entries(pages) as [Address, Load][];
const below = (parent: unknown) => entries.filter(([address]) => placeOf(address).parent === parent).map(routeOf);

const tree = root.addChildren([
  ...below(root),
  ...Object.values(layouts).map((parent) => parent.addChildren(below(parent))),
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
