// Credit of the organization: balance, ledger, top-ups, and the exchange rate.
import { useMutation } from '@tanstack/react-query';
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
import { forget, pagesByCursor, readQuery } from './queries.js';
import { orgPath, type Place } from './query-text.js';

type Org = Pick<Place, 'id'>;

const PAGE = 20;
/** The largest page of the API. */
const LARGEST_PAGE = 100;

export const balanceQuery = (org: Org) =>
  readQuery<CreditBalance>([org.id, 'ledger', 'balance'], orgPath(org, '/credit'));

export const ledgerQuery = (org: Org) =>
  pagesByCursor<CreditLedgerPage>([org.id, 'ledger', 'entries'], orgPath(org, '/ledger'), { limit: PAGE });

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
  pagesByCursor<TopUpPage>([org.id, 'topups', 'list'], orgPath(org, '/topups'), { limit: PAGE });

export const topUpPath = (org: Org, orderId: string, rest = '') =>
  orgPath(org, `/topups/${encodeURIComponent(orderId)}${rest}`);

export const topUpQuery = (org: Org, orderId: string) =>
  readQuery<TopUpDetail>([org.id, 'topups', orderId], topUpPath(org, orderId));

export const rateQuery = { ...readQuery<ExchangeRate>(['fx-rate'], '/v1/fx-rates/today'), staleTime: 5 * 60_000 };

export function useCreateTopUp(org: Org) {
  const key = useRequestKey();
  return useMutation({
    mutationFn: (usd: number) =>
      request<TopUpPayment>('POST', orgPath(org, '/topups'), { body: { usd }, headers: key.headers(usd) }),
    onSuccess() {
      key.done();
      void forget(org.id, 'topups', 'ledger');
    },
  });
}

export const useCancelTopUp = (org: Org) =>
  useMutation({
    mutationFn: (orderId: string) => request<TopUpPayment>('POST', topUpPath(org, orderId, '/cancel')),
    onSuccess: () => void forget(org.id, 'topups', 'ledger'),
  });

export function useWithdraw(org: Org) {
  const key = useRequestKey();
  return useMutation({
    mutationFn: ({ orderId, krw }: { orderId: string; krw: number }) =>
      request<TopUp>('POST', topUpPath(org, orderId, '/withdraw'), {
        body: { krw },
        headers: key.headers([orderId, krw]),
      }),
    onSuccess() {
      key.done();
      void forget(org.id, 'topups', 'ledger');
    },
  });
}
