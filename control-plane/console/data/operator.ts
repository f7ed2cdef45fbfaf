// Queries of operators, and their changes: each is an operation of the operator API.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Asked, SessionOperation } from '../../../client/operations/operation.js';
import {
  getCalendar,
  getHost,
  getOrder,
  getOrganization,
  getThroughput,
  getUpgrade,
  listAuditEntries,
  listEnrollments,
  listHosts,
  listImages,
  listMembers,
  listOrders,
  listOrganizations,
  listPayments,
  listProblems,
  listRentals,
  listTiers,
  listWaitlist,
} from '../../../client/operations/operator.js';
import type {
  OperatorAuditEntryFilter,
  OperatorHostFilter,
  OperatorOperations,
  OperatorOrderFilter,
  OperatorOrganizationFilter,
} from '../../../client/types.js';
import { type Call, call, send } from './api.js';
import { useMutation } from './mutation.js';
import { queryClient } from './query-client.js';

export interface Paged<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** A list that the service returns in pages. The noun is the one that the live stream names. */
const list = <P extends Paged<unknown>>(noun: string, page: (cursor: string | null) => Call<P>) =>
  infiniteQueryOptions({
    queryKey: ['operator', noun, page(null).address],
    queryFn: ({ pageParam, signal }) => send(page(pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: P) => last.next_cursor,
  });

const one = <T>(noun: string, read: Call<T>) =>
  queryOptions({ queryKey: ['operator', noun, read.address], queryFn: ({ signal }) => send(read, { signal }) });

/** What of a filter comes from the address, unchecked; the service refuses what it does not know. */
type Given<F> = { readonly [K in keyof F]?: string | undefined };
const asked = <F>(filter: Given<F>) => filter as Asked<F>;

type HostFilter = Pick<OperatorHostFilter, 'state' | 'tier' | 'q'>;
export const fleetQuery = (filter: Given<HostFilter>) =>
  list('hosts', (cursor) => call(listHosts, { ...asked<HostFilter>(filter), cursor }));
export const hostQuery = (id: string) => one('hosts', call(getHost, id));
export const problemsQuery = one('hosts', call(listProblems));
export const upgradeQuery = one('hosts', call(getUpgrade));
export const calendarQuery = (range: { from: string; to: string; tier?: string }) =>
  list('calendar', (cursor) => call(getCalendar, { ...range, cursor }));
export const tiersQuery = one('tiers', call(listTiers));
export const imagesQuery = one('images', call(listImages));
export const enrollmentsQuery = one('enrollments', call(listEnrollments));
type OrganizationFilter = Pick<OperatorOrganizationFilter, 'status' | 'q'>;
export const organizationsQuery = (filter: Given<OrganizationFilter>) =>
  list('organizations', (cursor) => call(listOrganizations, { ...asked<OrganizationFilter>(filter), cursor }));
export const organizationQuery = (id: string) => one('organizations', call(getOrganization, id));
export const membersQuery = (id: string) => list('organizations', (cursor) => call(listMembers, id, { cursor }));
export const rentalsQuery = (id: string) => list('organizations', (cursor) => call(listRentals, id, { cursor }));
type OrderFilter = Pick<OperatorOrderFilter, 'status' | 'org'>;
export const ordersQuery = (filter: Given<OrderFilter>) =>
  list('orders', (cursor) => call(listOrders, { ...asked<OrderFilter>(filter), cursor }));
export const orderQuery = (orderNo: string) => one('orders', call(getOrder, orderNo));
export const waitlistQuery = (filter: { tier?: string }) =>
  list('waitlist', (cursor) => call(listWaitlist, { ...filter, cursor }));
export const paymentsQuery = list('payments', (cursor) => call(listPayments, { cursor }));
export type AuditFilter = Given<Omit<OperatorAuditEntryFilter, 'limit' | 'cursor' | 'format'>>;
export const auditQuery = (filter: AuditFilter) =>
  list('audit', (cursor) => call(listAuditEntries, { ...asked<OperatorAuditEntryFilter>(filter), cursor }));
/** The address of the file with all entries that the filter lets through. */
export const auditFile = (filter: AuditFilter, format: 'csv' | 'jsonl'): string =>
  call(listAuditEntries, { ...asked<OperatorAuditEntryFilter>(filter), format }).address;
export const throughputQuery = (range: { from: string; to: string; step: number }) =>
  one('throughput', call(getThroughput, range));

export type OperationName = keyof OperatorOperations;

/** A change with its input. */
export interface OperationCall<Name extends OperationName> {
  readonly name: Name;
  readonly input: OperatorOperations[Name]['input'];
}
export type OperationAnswer<Name extends OperationName> = OperatorOperations[Name]['answer'];

/** @example await runOperation({ name: 'order.cancel', input: { order_no } }) */
export const runOperation = <Name extends OperationName>({ name, input }: OperationCall<Name>) =>
  send(call(changeOf(name), input));

/** The operation of a name: each is a POST request, whose path is its name. */
const changeOf = <Name extends OperationName>(
  name: Name,
): SessionOperation<(input: OperatorOperations[Name]['input']) => OperationAnswer<Name>> => ({
  method: 'POST',
  path: `/v1/${name.replaceAll('.', '/')}`,
  api: 'operator',
  takes: ['body'],
});

/** Makes a change and returns its answer. Everything that operators' pages show is read again afterwards. */
export const useOperation = <Name extends OperationName>() =>
  useMutation({
    mutationFn: (change: OperationCall<Name>) => runOperation<Name>(change),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator'] }),
  });
