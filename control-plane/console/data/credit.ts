// Credit of the organization: balance, ledger, top-ups, and the exchange rate.
import {
  cancelTopUp,
  createTopUp,
  getCredit,
  getExchangeRate,
  getTopUp,
  listLedger,
  listTopUps,
  withdrawTopUp,
} from '../../../client/operations/console.js';
import type { CreditEntry, CreditLedgerPage } from '../../../client/types.js';
import { call, send } from './api.js';
import { useRequestKey } from './idempotency.js';
import { useMutation } from './mutation.js';
import type { Place } from './place.js';
import { forget, pagesByCursor, readQuery } from './queries.js';

type Org = Pick<Place, 'id'>;

const PAGE = 20;
/** The largest page of the API. */
const LARGEST_PAGE = 100;

export const balanceQuery = (org: Org) => readQuery([org.id, 'ledger', 'balance'], call(getCredit, org.id));

export const ledgerQuery = (org: Org) =>
  pagesByCursor([org.id, 'ledger', 'entries'], (cursor) => call(listLedger, org.id, { limit: PAGE, cursor }));

/** Reads the whole ledger, newest first, for an export. */
export async function readWholeLedger(org: Org): Promise<CreditEntry[]> {
  const entries: CreditEntry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: CreditLedgerPage = await send(call(listLedger, org.id, { limit: LARGEST_PAGE, cursor }));
    entries.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return entries;
  }
}

export const topUpsQuery = (org: Org) =>
  pagesByCursor([org.id, 'topups', 'list'], (cursor) => call(listTopUps, org.id, { limit: PAGE, cursor }));

export const topUpQuery = (org: Org, orderId: string) =>
  readQuery([org.id, 'topups', orderId], call(getTopUp, org.id, orderId));

export const rateQuery = { ...readQuery(['fx-rate'], call(getExchangeRate)), staleTime: 5 * 60_000 };

export function useCreateTopUp(org: Org) {
  const key = useRequestKey();
  return useMutation({
    mutationFn: (usd: number) => send(call(createTopUp, org.id, { usd }), { headers: key.headers(usd) }),
    onSuccess() {
      key.done();
      void forget(org.id, 'topups', 'ledger');
    },
  });
}

export const useCancelTopUp = (org: Org) =>
  useMutation({
    mutationFn: (orderId: string) => send(call(cancelTopUp, org.id, orderId)),
    onSuccess: () => void forget(org.id, 'topups', 'ledger'),
  });

export function useWithdraw(org: Org) {
  const key = useRequestKey();
  return useMutation({
    mutationFn: ({ orderId, krw }: { orderId: string; krw: number }) =>
      send(call(withdrawTopUp, org.id, orderId, { krw }), { headers: key.headers([orderId, krw]) }),
    onSuccess() {
      key.done();
      void forget(org.id, 'topups', 'ledger');
    },
  });
}
