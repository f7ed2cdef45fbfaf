// The payment of a top-up by an owner or admin.
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { cancelTopUp, confirmTopUp, getTopUp, payTopUp } from '../../../client/operations/console.js';
import type { TopUpDetail, TopUpPayment } from '../../../client/types.js';
import { type Call, call, send } from './api.js';
import { useMutation } from './mutation.js';
import { agreementTo, isMissing, type Organization, type ProviderAct } from './payment.js';
import { forget } from './queries.js';
import { MANAGERS } from './session.js';

export interface PayableTopUp {
  readonly organization: Organization;
  readonly topUp: TopUpDetail;
}

const POLL_MS = 2_000;
const SLOW_POLL_MS = 15_000;

/**
 * The top-up in the organization of the person that has it; null if none has, or if the person may not see it. It is
 * read again while its payment goes on.
 */
export const payableTopUpQuery = (organizations: readonly Organization[], orderId: string) =>
  queryOptions({
    queryKey: ['pay', 'topup', orderId],
    async queryFn({ signal }): Promise<PayableTopUp | null> {
      for (const organization of organizations.filter(({ role }) => MANAGERS.includes(role))) {
        try {
          const topUp = await send(call(getTopUp, organization.id, orderId), { signal });
          return { organization, topUp };
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
      return null;
    },
    staleTime: 0,
    refetchInterval({ state: { data } }) {
      if (data?.topUp.status === 'confirming') return POLL_MS;
      return data?.topUp.status === 'pending' ? SLOW_POLL_MS : false;
    },
  });

/** Sends pay, confirm or cancel. The page shows the state of the answer at once. */
export function useTopUpStep({ organization, topUp }: PayableTopUp) {
  const client = useQueryClient();
  const key = ['pay', 'topup', topUp.order_id];
  return useMutation({
    async mutationFn(act: ProviderAct) {
      await client.cancelQueries({ queryKey: key });
      return send(stepOf({ organization, topUp }, act));
    },
    onSuccess(answer) {
      client.setQueryData(key, { organization, topUp: { ...topUp, ...answer } });
      void forget(organization.id, 'topups', 'ledger');
    },
  });
}

function stepOf({ organization: { id }, topUp }: PayableTopUp, act: ProviderAct): Call<TopUpPayment> {
  const { order_id } = topUp;
  if (act.path === 'cancel') return call(cancelTopUp, id, order_id);
  if (act.path === 'confirm') return call(confirmTopUp, id, order_id, act.proof);
  return call(payTopUp, id, order_id, { ...agreementTo(topUp), ...act.input });
}
