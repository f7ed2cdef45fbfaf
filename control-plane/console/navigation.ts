// The side bar: what it shows to whom.

import type { LucideIcon } from 'lucide-react';
import AlarmClock from 'lucide-react/icons/alarm-clock';
import Bell from 'lucide-react/icons/bell';
import Blocks from 'lucide-react/icons/blocks';
import CalendarDays from 'lucide-react/icons/calendar-days';
import ChartColumn from 'lucide-react/icons/chart-column';
import CircleAlert from 'lucide-react/icons/circle-alert';
import Disc3 from 'lucide-react/icons/disc-3';
import FileArchive from 'lucide-react/icons/file-archive';
import Gauge from 'lucide-react/icons/gauge';
import Hammer from 'lucide-react/icons/hammer';
import KeyRound from 'lucide-react/icons/key-round';
import Landmark from 'lucide-react/icons/landmark';
import ListOrdered from 'lucide-react/icons/list-ordered';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import Monitor from 'lucide-react/icons/monitor';
import PlugZap from 'lucide-react/icons/plug-zap';
import Receipt from 'lucide-react/icons/receipt';
import ScrollText from 'lucide-react/icons/scroll-text';
import Server from 'lucide-react/icons/server';
import ShoppingCart from 'lucide-react/icons/shopping-cart';
import Users from 'lucide-react/icons/users';
import Webhook from 'lucide-react/icons/webhook';
import type { Address } from './addresses.js';
import type { Role } from './data/session.js';
import type { words } from './shell/words.js';

export interface NavigationItem {
  readonly to: Address;
  readonly label: keyof (typeof words)['en']['nav'];
  readonly icon: LucideIcon;
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
      { to: '/o/$org', label: 'overview', icon: Gauge, key: 'o' },
      { to: '/o/$org/builds', label: 'builds', icon: Hammer, key: 'b' },
      { to: '/o/$org/queue', label: 'queue', icon: ListOrdered, key: 'q' },
      { to: '/o/$org/errors', label: 'errors', icon: CircleAlert, key: 'e' },
    ],
  },
  {
    label: 'macs',
    items: [
      { to: '/o/$org/macs', label: 'macs', icon: Monitor, key: 'm' },
      { to: '/o/$org/rent', label: 'rent', icon: ShoppingCart, key: 'r' },
      { to: '/o/$org/orders', label: 'orders', icon: Receipt },
    ],
  },
  {
    label: 'build',
    items: [
      { to: '/o/$org/secrets', label: 'secrets', icon: LockKeyhole, key: 's' },
      { to: '/o/$org/webhooks', label: 'webhooks', icon: Webhook, key: 'w' },
      { to: '/o/$org/files', label: 'files', icon: FileArchive, key: 'f' },
      { to: '/o/$org/keys', label: 'keys', icon: KeyRound, roles: managers, key: 'k' },
    ],
  },
  {
    label: 'organization',
    items: [
      { to: '/o/$org/members', label: 'members', icon: Users },
      { to: '/o/$org/workspaces', label: 'workspaces', icon: Blocks, roles: managers },
      { to: '/o/$org/billing', label: 'billing', icon: Landmark, roles: managers },
      { to: '/o/$org/notices', label: 'notices', icon: Bell, key: 'n' },
      { to: '/o/$org/audit', label: 'audit', icon: ScrollText, roles: ['owner'] },
    ],
  },
];

export const operatorNavigation: readonly NavigationGroup[] = [
  {
    label: 'macs',
    items: [
      { to: '/operator', label: 'fleet', icon: Server },
      { to: '/operator/calendar', label: 'calendar', icon: CalendarDays },
      { to: '/operator/tiers', label: 'tiers', icon: Disc3 },
      { to: '/operator/enrollment', label: 'enrollment', icon: PlugZap },
      { to: '/operator/throughput', label: 'throughput', icon: ChartColumn },
    ],
  },
  {
    label: 'customers',
    items: [
      { to: '/operator/organizations', label: 'organizations', icon: Users },
      { to: '/operator/orders', label: 'orders', icon: Receipt },
      { to: '/operator/waitlist', label: 'waitlist', icon: AlarmClock },
      { to: '/operator/payments', label: 'payments', icon: Landmark },
      { to: '/operator/audit', label: 'audit', icon: ScrollText },
    ],
  },
];
