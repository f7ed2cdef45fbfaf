// The side bar: what it shows to whom. The service reads it too, for what is painted before a script runs
// (start/site/first-paint.ts).

import type { Address } from './addresses.js';
import type { Role } from './data/role.js';
import type { words } from './shell/words.js';

export interface NavigationItem {
  readonly to: Address;
  readonly label: keyof (typeof words)['en']['nav'];
  /** Roles that see it; without, everybody. */
  readonly roles?: readonly Role[];
  /** How many entries of the page are new. */
  readonly unread?: number;
  /** The second key after `g`. */
  readonly key?: string;
}

export interface NavigationGroup {
  readonly label: keyof (typeof words)['en']['groups'];
  readonly items: readonly NavigationItem[];
}

const managers: readonly Role[] = ['owner', 'admin'];

export const organizationNavigation: readonly NavigationGroup[] = [
  {
    label: 'work',
    items: [
      { to: '/o/$org', label: 'overview', key: 'o' },
      { to: '/o/$org/builds', label: 'builds', key: 'b' },
      { to: '/o/$org/queue', label: 'queue', key: 'q' },
      { to: '/o/$org/errors', label: 'errors', key: 'e' },
    ],
  },
  {
    label: 'macs',
    items: [
      { to: '/o/$org/macs', label: 'macs', key: 'm' },
      { to: '/o/$org/rent', label: 'rent', key: 'r' },
      { to: '/o/$org/orders', label: 'orders' },
    ],
  },
  {
    label: 'build',
    items: [
      { to: '/o/$org/secrets', label: 'secrets', key: 's' },
      { to: '/o/$org/webhooks', label: 'webhooks', key: 'w' },
      { to: '/o/$org/files', label: 'files', key: 'f' },
      { to: '/o/$org/keys', label: 'keys', roles: managers, key: 'k' },
    ],
  },
  {
    label: 'organization',
    items: [
      { to: '/o/$org/members', label: 'members' },
      { to: '/o/$org/workspaces', label: 'workspaces', roles: managers },
      { to: '/o/$org/billing', label: 'billing', roles: managers },
      { to: '/o/$org/notices', label: 'notices', key: 'n' },
      { to: '/o/$org/audit', label: 'audit', roles: ['owner'] },
    ],
  },
];

export const operatorNavigation: readonly NavigationGroup[] = [
  {
    label: 'macs',
    items: [
      { to: '/operator', label: 'fleet' },
      { to: '/operator/calendar', label: 'calendar' },
      { to: '/operator/tiers', label: 'tiers' },
      { to: '/operator/enrollment', label: 'enrollment' },
      { to: '/operator/throughput', label: 'throughput' },
    ],
  },
  {
    label: 'customers',
    items: [
      { to: '/operator/organizations', label: 'organizations' },
      { to: '/operator/orders', label: 'orders' },
      { to: '/operator/waitlist', label: 'waitlist' },
      { to: '/operator/payments', label: 'payments' },
      { to: '/operator/audit', label: 'audit' },
    ],
  },
];
