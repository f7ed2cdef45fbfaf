// What the operator API works with: of the running service, or of a database that no service runs on.
import type { ReadUsageNow } from '../access/app/account-usage.js';
import type { ApiKeys } from '../access/app/api-keys.js';
import type { AuditLog } from '../access/app/audit-log.js';
import type { Invites } from '../access/app/invites.js';
import type { Members } from '../access/app/members.js';
import type { Organizations } from '../access/app/organizations.js';
import type { PasswordResets } from '../access/app/password-resets.js';
import type { SecondFactors } from '../access/app/second-factors.js';
import type { Users } from '../access/app/users.js';
import type { Workspaces } from '../access/app/workspaces.js';
import { createMaintenance, type Maintenance } from '../admin/maintenance.js';
import type { Hosts } from '../hosts/app/hosts.js';
import type { Rollouts } from '../hosts/app/rollouts.js';
import { createImagePulls, type ImagePulls } from '../macs/app/image-pulls.js';
import type { Tiers } from '../macs/app/tiers.js';
import { createOperatorNotices, type OperatorNotices } from '../operators/app/operator-notices.js';
import type { Packages } from '../packages/app/packages.js';
import type { Credit } from '../payments/app/credit.js';
import type { ManualSettlements } from '../payments/app/manual-settlements.js';
import type { OrderRefunds } from '../payments/app/order-refunds.js';
import type { Processes } from '../platform/app/processes.js';
import type { Limits } from '../platform/domain/limits.js';
import type { Store } from '../platform/store/sql.js';
import type { RentalGrants } from '../renting/app/rental-grants.js';
import { createFleet, type Fleet } from '../start/app/fleet.js';
import { createOperatorLists, type OperatorLists } from '../start/app/operator-lists.js';
import { createSlotCalendar, type SlotCalendar } from '../start/app/slot-calendar.js';
import { createThroughputReads } from '../start/app/throughput.js';
import type { Base } from './platform.js';

/** Use cases that the running service has already. */
export interface Capabilities {
  readonly usageNow: ReadUsageNow;
  readonly organizations: Organizations;
  readonly users: Users;
  readonly factors: SecondFactors;
  readonly resets: Pick<PasswordResets, 'issueTo'>;
  readonly members: Members;
  readonly invites: Invites;
  readonly workspaces: Workspaces;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly packages: Packages;
  readonly hosts: Hosts;
  readonly rollouts: Rollouts;
  readonly tiers: Tiers;
  readonly rentalGrants: RentalGrants;
  readonly orderRefunds: OrderRefunds;
  readonly credit: Credit;
  readonly manualSettlements: ManualSettlements;
}

export interface OperatorService extends Capabilities, Maintenance {
  readonly store: Store;
  readonly processes: Pick<Processes, 'list'>;
  readonly clock: { now(): number };
  readonly limits: Limits;
  readonly siteUrl: string;
  readonly lists: OperatorLists;
  readonly fleet: Fleet;
  readonly calendar: SlotCalendar;
  readonly throughput: ReturnType<typeof createThroughputReads>;
  readonly images: ImagePulls;
  readonly notices: OperatorNotices;
}

export function composeOperatorService(base: Base, capabilities: Capabilities): OperatorService {
  const { store, processes, clock, limits, siteUrl } = base;
  return {
    ...capabilities,
    store,
    processes,
    clock,
    limits,
    siteUrl,
    lists: createOperatorLists({ ...base, ...capabilities }),
    fleet: createFleet(base),
    calendar: createSlotCalendar(base),
    throughput: createThroughputReads(base),
    images: createImagePulls(base),
    notices: createOperatorNotices(base),
    ...createMaintenance(base),
  };
}
