// Generated, do not edit: `npm run generate` makes this file from the reference that the service answers with.

import type {
  AgentUpgrade,
  CalendarPage,
  CommandResult,
  Enrollments,
  FleetHostDetail,
  FleetPage,
  MemberList,
  OperatorAuditEntryFilter,
  OperatorAuditPage,
  OperatorGetCalendarQuery,
  OperatorGetReferenceQuery,
  OperatorGetThroughputQuery,
  OperatorGetUpgradeQuery,
  OperatorHostFilter,
  OperatorMemberFilter,
  OperatorOrderDetail,
  OperatorOrderFilter,
  OperatorOrderPage,
  OperatorOrganization,
  OperatorOrganizationFilter,
  OperatorPaymentFilter,
  OperatorProblemFilter,
  OperatorProblems,
  OperatorRentalFilter,
  OperatorRentalPage,
  OperatorTiers,
  OperatorWaitlistFilter,
  OperatorWaitlistPage,
  OrganizationPage,
  Throughput,
  TierImages,
  UnsettledPaymentPage,
} from '../types.js';
import type { Asked, Operation } from './operation.js';

/** Hosts with their slots and builds, in the order of their names. */
export const listHosts: Operation<(query?: Asked<OperatorHostFilter>) => FleetPage> = {
  method: 'GET',
  path: '/v1/hosts',
  api: 'operator',
  takes: ['query'],
};

/** Everything about one host. */
export const getHost: Operation<(hostId: string) => FleetHostDetail> = {
  method: 'GET',
  path: '/v1/hosts/{host_id}',
  api: 'operator',
};

/** The newest upgrade of agents, and the versions that the service has. */
export const getUpgrade: Operation<(query?: Asked<OperatorGetUpgradeQuery>) => AgentUpgrade> = {
  method: 'GET',
  path: '/v1/upgrade',
  api: 'operator',
  takes: ['query'],
};

/** Slots by host, and the organizations that have them over time. */
export const getCalendar: Operation<(query?: Asked<OperatorGetCalendarQuery>) => CalendarPage> = {
  method: 'GET',
  path: '/v1/calendar',
  api: 'operator',
  takes: ['query'],
};

/** All tiers with their slots, the cheapest first. */
export const listTiers: Operation<() => OperatorTiers> = { method: 'GET', path: '/v1/tiers', api: 'operator' };

/** The images of all tiers, and their state on each host. */
export const listImages: Operation<() => TierImages> = { method: 'GET', path: '/v1/images', api: 'operator' };

/** Tokens that have not expired, and machines that wait for approval. */
export const listEnrollments: Operation<() => Enrollments> = {
  method: 'GET',
  path: '/v1/enrollments',
  api: 'operator',
};

/** All organizations, the newest first. */
export const listOrganizations: Operation<(query?: Asked<OperatorOrganizationFilter>) => OrganizationPage> = {
  method: 'GET',
  path: '/v1/organizations',
  api: 'operator',
  takes: ['query'],
};

/** One organization with its usage and limits. */
export const getOrganization: Operation<(orgId: string) => OperatorOrganization> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}',
  api: 'operator',
};

/** Members of an organization, in the order in which they joined. */
export const listMembers: Operation<(orgId: string, query?: Asked<OperatorMemberFilter>) => MemberList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/members',
  api: 'operator',
  takes: ['query'],
};

/** Macs of an organization that have not ended, the oldest first. */
export const listRentals: Operation<(orgId: string, query?: Asked<OperatorRentalFilter>) => OperatorRentalPage> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/rentals',
  api: 'operator',
  takes: ['query'],
};

/** Orders of all organizations, the newest first. */
export const listOrders: Operation<(query?: Asked<OperatorOrderFilter>) => OperatorOrderPage> = {
  method: 'GET',
  path: '/v1/orders',
  api: 'operator',
  takes: ['query'],
};

/** One order with its payment and refunds. */
export const getOrder: Operation<(orderNo: string) => OperatorOrderDetail> = {
  method: 'GET',
  path: '/v1/orders/{order_no}',
  api: 'operator',
};

/** Who waits for Macs, in the order in which they are served. */
export const listWaitlist: Operation<(query?: Asked<OperatorWaitlistFilter>) => OperatorWaitlistPage> = {
  method: 'GET',
  path: '/v1/waitlist',
  api: 'operator',
  takes: ['query'],
};

/** Payments and refunds that are not settled with the provider, the newest first. */
export const listPayments: Operation<(query?: Asked<OperatorPaymentFilter>) => UnsettledPaymentPage> = {
  method: 'GET',
  path: '/v1/payments',
  api: 'operator',
  takes: ['query'],
};

/** The audit log of all organizations, newest first; as a file with `format`. */
export const listAuditEntries: Operation<(query?: Asked<OperatorAuditEntryFilter>) => OperatorAuditPage> = {
  method: 'GET',
  path: '/v1/audit',
  api: 'operator',
  takes: ['query'],
};

/** Changes, as server-sent events. */
export const followChanges: Operation<() => string> = {
  method: 'GET',
  path: '/v1/live',
  api: 'operator',
  answers: 'text',
};

/** Builds, waits and use of Macs and slots, in steps of time. */
export const getThroughput: Operation<(query?: Asked<OperatorGetThroughputQuery>) => Throughput> = {
  method: 'GET',
  path: '/v1/throughput',
  api: 'operator',
  takes: ['query'],
};

/** Problems of hosts and capacity now, and the last notices about them. */
export const listProblems: Operation<(query?: Asked<OperatorProblemFilter>) => OperatorProblems> = {
  method: 'GET',
  path: '/v1/problems',
  api: 'operator',
  takes: ['query'],
};

/** Does one command of `cidermill admin`; from a session one of those that the console uses. */
export const runCommand: Operation<(body: { argv: string[]; input?: string | null }) => CommandResult> = {
  method: 'POST',
  path: '/v1/commands',
  api: 'operator',
  takes: ['body'],
};

/** This document. */
export const getReference: Operation<
  (query?: Asked<OperatorGetReferenceQuery>) => {
    openapi: string;
    [name: string]: unknown;
  }
> = { method: 'GET', path: '/openapi.json', api: 'operator', takes: ['query'] };
