// Queries of operators, and their changes: each is an operation of the operator API.
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type {
  AgentUpgrade,
  CalendarPage,
  Enrollments,
  FleetHost,
  FleetHostDetail,
  FleetPage,
  ListedOrganization,
  Member,
  OperatorAuditEntry,
  OperatorOperations,
  OperatorOrder,
  OperatorOrderDetail,
  OperatorOrganization,
  OperatorProblems,
  OperatorRental,
  OperatorTiers,
  OperatorWaitlistEntry,
  Throughput,
  TierImages,
  UnsettledPayment,
} from '../../../client/types.js';
import { operatorRequest, request } from './api.js';
import { queryClient } from './query-client.js';
import type { Query } from './query-text.js';

export interface Paged<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** A list that the service returns in pages. The noun is the one that the live stream names. */
const list = <T, P extends Paged<T> = Paged<T>>(noun: string, path: string, query: Query = {}) =>
  infiniteQueryOptions({
    queryKey: ['operator', noun, path, query],
    queryFn: ({ pageParam, signal }) =>
      operatorRequest<P>('GET', path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: P) => last.next_cursor,
  });

const one = <T>(noun: string, path: string, query: Query = {}) =>
  queryOptions({
    queryKey: ['operator', noun, path, query],
    queryFn: ({ signal }) => operatorRequest<T>('GET', path, { query, signal }),
  });

const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

export const fleetQuery = (filter: { state?: string; tier?: string; q?: string }) =>
  list<FleetHost, FleetPage>('hosts', '/v1/hosts', filter);
export const hostQuery = (id: string) => one<FleetHostDetail>('hosts', at('/v1/hosts', id));
export const problemsQuery = one<OperatorProblems>('hosts', '/v1/problems');
export const upgradeQuery = one<AgentUpgrade>('hosts', '/v1/upgrade');
export const calendarQuery = (range: { from: string; to: string; tier?: string }) =>
  list<CalendarPage['data'][number], CalendarPage>('calendar', '/v1/calendar', range);
export const tiersQuery = one<OperatorTiers>('tiers', '/v1/tiers');
export const imagesQuery = one<TierImages>('images', '/v1/images');
export const enrollmentsQuery = one<Enrollments>('enrollments', '/v1/enrollments');
export const organizationsQuery = (filter: { status?: string; q?: string }) =>
  list<ListedOrganization>('organizations', '/v1/organizations', filter);
export const organizationQuery = (id: string) =>
  one<OperatorOrganization>('organizations', at('/v1/organizations', id));
export const membersQuery = (id: string) => list<Member>('organizations', `${at('/v1/organizations', id)}/members`);
export const rentalsQuery = (id: string) =>
  list<OperatorRental>('organizations', `${at('/v1/organizations', id)}/rentals`);
export const ordersQuery = (filter: { status?: string; org?: string }) =>
  list<OperatorOrder>('orders', '/v1/orders', filter);
export const orderQuery = (orderNo: string) => one<OperatorOrderDetail>('orders', at('/v1/orders', orderNo));
export const waitlistQuery = (filter: { tier?: string }) =>
  list<OperatorWaitlistEntry>('waitlist', '/v1/waitlist', filter);
export const paymentsQuery = list<UnsettledPayment>('payments', '/v1/payments');
export const auditQuery = (filter: Query) => list<OperatorAuditEntry>('audit', '/v1/audit', filter);
export const throughputQuery = (range: { from: string; to: string; step: number }) =>
  one<Throughput>('throughput', '/v1/throughput', range);

export type OperationName = keyof OperatorOperations;

/** A change with its input. */
export interface OperationCall<Name extends OperationName> {
  readonly name: Name;
  readonly input: OperatorOperations[Name]['input'];
}
export type OperationAnswer<Name extends OperationName> = OperatorOperations[Name]['answer'];

/** @example await runOperation({ name: 'order.cancel', input: { order_no } }) */
export const runOperation = <Name extends OperationName>({ name, input }: OperationCall<Name>) =>
  operatorRequest<OperationAnswer<Name>>('POST', `/v1/${name.replaceAll('.', '/')}`, { body: input });

/** Makes a change and returns its answer. Everything that operators' pages show is read again afterwards. */
export const useOperation = <Name extends OperationName>() =>
  useMutation({
    /** @param call.password the person's password, where it has to be entered again */
    async mutationFn({ password, ...call }: OperationCall<Name> & { readonly password?: string }) {
      if (password !== undefined) await request('POST', '/v1/session/confirm', { body: { password } });
      return runOperation<Name>(call);
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator'] }),
  });
