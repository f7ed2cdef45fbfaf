// The icon of each page in the side bar.
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
import type { NavigationItem } from '../navigation.js';

export const navigationIcons: Readonly<Record<NavigationItem['label'], LucideIcon>> = {
  overview: Gauge,
  builds: Hammer,
  queue: ListOrdered,
  errors: CircleAlert,
  macs: Monitor,
  rent: ShoppingCart,
  orders: Receipt,
  secrets: LockKeyhole,
  webhooks: Webhook,
  files: FileArchive,
  keys: KeyRound,
  members: Users,
  workspaces: Blocks,
  billing: Landmark,
  notices: Bell,
  audit: ScrollText,
  fleet: Server,
  calendar: CalendarDays,
  tiers: Disc3,
  enrollment: PlugZap,
  throughput: ChartColumn,
  organizations: Users,
  waitlist: AlarmClock,
  payments: Landmark,
};
