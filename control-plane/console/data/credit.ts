// Credit of the organization: balance, ledger, top-ups, and the exchange rate.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  CreditBalance,
  CreditEntry,
  CreditLedgerPage,
  ExchangeRate,
  TopUp,
  TopUpDetail,
  TopUpPage,
  TopUpPayment,
} from '../../../client/types.js';
import { request } from './api.js';
import { useRequestKey } from './idempotency.js';
import { orgPath, type Place } from './query-text.js';

type Org = Pick<Place, 'id'>;

const PAGE = 20;
/** The largest page of the API. */
const LARGEST_PAGE = 100;

export const balanceQuery = (org: Org) =>
  queryOptions({
    queryKey: [org.id, 'ledger', 'balance'],
    queryFn: ({ signal }) => request<CreditBalance>('GET', orgPath(org, '/credit'), { signal }),
  });

export const ledgerQuery = (org: Org) =>
  infiniteQueryOptions({
    queryKey: [org.id, 'ledger', 'entries'],
    queryFn: ({ pageParam, signal }) =>
      request<CreditLedgerPage>('GET', orgPath(org, '/ledger'), {
        query: { limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Reads the whole ledger, newest first, for an export. */
export async function readWholeLedger(org: Org): Promise<CreditEntry[]> {
  const entries: CreditEntry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: CreditLedgerPage = await request('GET', orgPath(org, '/ledger'), {
      query: { limit: LARGEST_PAGE, cursor },
    });
    entries.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return entries;
  }
}

export const topUpsQuery = (org: Org) =>
  infiniteQueryOptions({
    queryKey: [org.id, 'topups', 'list'],
    queryFn: ({ pageParam, signal }) =>
      request<TopUpPage>('GET', orgPath(org, '/topups'), {
        query: { limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const topUpPath = (org: Org, orderId: string, rest = '') =>
  orgPath(org, `/topups/${encodeURIComponent(orderId)}${rest}`);

export const topUpQuery = (org: Org, orderId: string) =>
  queryOptions({
    queryKey: [org.id, 'topups', orderId],
    queryFn: ({ signal }) => request<TopUpDetail>('GET', topUpPath(org, orderId), { signal }),
  });

export const rateQuery = queryOptions({
  queryKey: ['fx-rate'],
  queryFn: ({ signal }) => request<ExchangeRate>('GET', '/v1/fx-rates/today', { signal }),
  staleTime: 5 * 60_000,
});

function useForgetCredit(org: Org) {
  const client = useQueryClient();
  return () => {
    for (const noun of ['topups', 'ledger']) void client.invalidateQueries({ queryKey: [org.id, noun] });
  };
}

export function useCreateTopUp(org: Org) {
  const key = useRequestKey();
  const forget = useForgetCredit(org);
  return useMutation({
    mutationFn: (usd: number) =>
      request<TopUpPayment>('POST', orgPath(org, '/topups'), { body: { usd }, headers: key.headers(usd) }),
    onSuccess() {
      key.done();
      forget();
    },
  });
}

export const useCancelTopUp = (org: Org) =>
  useMutation({
    mutationFn: (orderId: string) => request<TopUpPayment>('POST', topUpPath(org, orderId, '/cancel')),
    onSuccess: useForgetCredit(org),
  });

export function useWithdraw(org: Org) {
  const key = useRequestKey();
  const forget = useForgetCredit(org);
  return useMutation({
    mutationFn: ({ orderId, krw }: { orderId: string; krw: number }) =>
      request<TopUp>('POST', topUpPath(org, orderId, '/withdraw'), {
        body: { krw },
        headers: key.headers([orderId, krw]),
      }),
    onSuccess() {
      key.done();
      forget();
    },
  });
}
