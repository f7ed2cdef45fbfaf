// The operator API: what operators read across all capabilities, and what they change.
import { createOperatorAuditRoutes } from '../access/http/operator-audit.js';
import { createOperatorKeyRoutes, keyOperations } from '../access/http/operator-keys.js';
import { memberOperations } from '../access/http/operator-member-changes.js';
import { createOperatorMemberRoutes } from '../access/http/operator-members.js';
import { organizationOperations } from '../access/http/operator-organization-changes.js';
import { userOperations } from '../access/http/operator-user-changes.js';
import { createOperatorUserRoutes } from '../access/http/operator-users.js';
import { createOperatorWorkspaceRoutes, workspaceOperations } from '../access/http/operator-workspaces.js';
import { maintenanceOperations } from '../admin/http/operator-maintenance.js';
import { enrollmentOperations } from '../hosts/http/operator-enrollment-changes.js';
import { createEnrollmentRoutes } from '../hosts/http/operator-enrollments.js';
import { hostOperations } from '../hosts/http/operator-host-changes.js';
import { createOperatorUpgradeRoutes } from '../hosts/http/operator-upgrade.js';
import { upgradeOperations } from '../hosts/http/operator-upgrade-changes.js';
import { imageOperations } from '../macs/http/operator-image-changes.js';
import { createOperatorImageRoutes } from '../macs/http/operator-images.js';
import { tierOperations } from '../macs/http/operator-tier-changes.js';
import { createNoticeRoutes, testNotice } from '../operators/http/operator-notices.js';
import { createProblemRoutes } from '../operators/http/operator-problems.js';
import { createOperatorCreditRoutes, creditOperations } from '../payments/http/operator-credit.js';
import { orderOperations } from '../payments/http/operator-order-changes.js';
import { createSettlementRoutes, settlementOperations } from '../payments/http/operator-settlements.js';
import { type AnyOperation, type OperationAccess, operationRoute } from '../platform/http/operation.js';
import type { AnyRoute } from '../platform/http/route.js';
import { rentalOperations } from '../renting/http/operator-rental-changes.js';
import { createOperatorCalendarRoutes } from '../start/http/operator-calendar.js';
import { createOperatorHostRoutes } from '../start/http/operator-hosts.js';
import { createOperatorOrderRoutes } from '../start/http/operator-orders.js';
import { createOperatorOrganizationRoutes } from '../start/http/operator-organizations.js';
import { createOperatorPaymentRoutes } from '../start/http/operator-payments.js';
import { createProcessRoutes } from '../start/http/operator-processes.js';
import { createOperatorRentalRoutes } from '../start/http/operator-rentals.js';
import { createThroughputRoutes } from '../start/http/operator-throughput.js';
import { createOperatorTierRoutes } from '../start/http/operator-tiers.js';
import { createUnreadableSecretRoutes } from '../start/http/operator-unreadable-secrets.js';
import { createOperatorWaitlistRoutes } from '../start/http/operator-waitlist.js';
import type { OperatorService } from './operator-service.js';

/** Every change of operators. */
export const operations: readonly AnyOperation<OperatorService>[] = [
  ...organizationOperations,
  ...userOperations,
  ...memberOperations,
  ...workspaceOperations,
  ...keyOperations,
  ...tierOperations,
  ...enrollmentOperations,
  ...hostOperations,
  ...upgradeOperations,
  ...imageOperations,
  testNotice,
  ...orderOperations,
  ...settlementOperations,
  ...creditOperations,
  ...rentalOperations,
  ...maintenanceOperations,
];

/** @param here whether the operator is on the machine of the service */
export function createOperatorRoutes(service: OperatorService, here: boolean): AnyRoute[] {
  const offered = (access: OperationAccess) => here || access !== 'machine';
  return [
    ...createOperatorHostRoutes(service),
    ...createOperatorUpgradeRoutes(service),
    ...createOperatorCalendarRoutes(service),
    ...createOperatorTierRoutes(service),
    ...createOperatorImageRoutes(service),
    ...createEnrollmentRoutes(service),
    ...createProblemRoutes(service),
    ...createNoticeRoutes(service),
    ...createOperatorOrganizationRoutes(service),
    ...createOperatorMemberRoutes(service),
    ...createOperatorRentalRoutes(service),
    ...createOperatorOrderRoutes(service),
    ...createOperatorWaitlistRoutes(service),
    ...createOperatorPaymentRoutes(service),
    ...createOperatorAuditRoutes(service),
    ...createThroughputRoutes(service),
    ...createOperatorUserRoutes(service),
    ...createOperatorWorkspaceRoutes(service),
    ...createOperatorKeyRoutes(service),
    ...createOperatorCreditRoutes(service),
    ...createSettlementRoutes(service),
    ...createUnreadableSecretRoutes(service),
    ...createProcessRoutes(service),
    ...operations.filter(({ access }) => offered(access)).map((one) => operationRoute(one, service)),
  ].map((route) => ({ ...route, forOperators: true }));
}
