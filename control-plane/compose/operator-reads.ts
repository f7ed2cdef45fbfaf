// What operators read over the operator API, across all capabilities.
import type { ReadUsageNow } from '../access/app/account-usage.js';
import type { AuditLog } from '../access/app/audit-log.js';
import type { Members } from '../access/app/members.js';
import type { Organizations } from '../access/app/organizations.js';
import { createOperatorAuditRoutes } from '../access/http/operator-audit.js';
import { createOperatorMemberRoutes } from '../access/http/operator-members.js';
import type { Hosts } from '../hosts/app/hosts.js';
import type { Rollouts } from '../hosts/app/rollouts.js';
import { createEnrollmentRoutes } from '../hosts/http/operator-enrollments.js';
import { createImagePulls } from '../macs/app/image-pulls.js';
import type { OperatorNotices } from '../operators/app/operator-notices.js';
import type { Packages } from '../packages/app/packages.js';
import type { EventStreams } from '../platform/http/event-stream.js';
import { createFleet } from '../start/app/fleet.js';
import type { Live } from '../start/app/live.js';
import { createOperatorLists } from '../start/app/operator-lists.js';
import { createSlotCalendar } from '../start/app/slot-calendar.js';
import { createThroughputReads } from '../start/app/throughput.js';
import { createOperatorCalendarRoutes } from '../start/http/operator-calendar.js';
import { createOperatorHostRoutes } from '../start/http/operator-hosts.js';
import { createOperatorLiveRoutes } from '../start/http/operator-live.js';
import { createOperatorOrderRoutes } from '../start/http/operator-orders.js';
import { createOperatorOrganizationRoutes } from '../start/http/operator-organizations.js';
import { createOperatorRentalRoutes } from '../start/http/operator-rentals.js';
import { createThroughputRoutes } from '../start/http/operator-throughput.js';
import { createOperatorTierRoutes } from '../start/http/operator-tiers.js';
import type { Part } from './part.js';
import type { Platform } from './platform.js';

export interface OperatorReadsBelow {
  readonly organizations: Organizations;
  readonly members: Members;
  readonly usageNow: ReadUsageNow;
  readonly auditLog: AuditLog;
  readonly hosts: Hosts;
  readonly rollouts: Rollouts;
  readonly packages: Packages;
  readonly notices: OperatorNotices;
  readonly live: Live;
  readonly eventStreams: EventStreams;
}

export function composeOperatorReads(platform: Platform, below: OperatorReadsBelow): Part {
  const deps = { ...platform, ...below };
  const lists = createOperatorLists(deps);
  return {
    operatorRoutes: [
      ...createOperatorHostRoutes({ ...deps, fleet: createFleet(platform) }),
      ...createOperatorCalendarRoutes({ ...deps, calendar: createSlotCalendar(platform) }),
      ...createOperatorTierRoutes({ lists, images: createImagePulls(platform) }),
      ...createEnrollmentRoutes(deps),
      ...createOperatorOrganizationRoutes({ ...deps, lists }),
      ...createOperatorMemberRoutes(deps),
      ...createOperatorRentalRoutes({ ...deps, lists }),
      ...createOperatorOrderRoutes({ ...deps, lists }),
      ...createOperatorAuditRoutes(deps),
      ...createOperatorLiveRoutes(deps),
      ...createThroughputRoutes({ ...deps, throughput: createThroughputReads(platform) }),
    ],
  };
}
