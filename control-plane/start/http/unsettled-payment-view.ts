// A payment or refund that is not settled with the provider, as operators see it.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { count, time, won } from '../../platform/http/values.js';
import type { ListedPayment } from '../app/operator-lists.js';
import { organizationRef, organizationRefShape } from './fleet-view.js';

export const paymentShape = z
  .object({
    kind: z.enum(['payment', 'refund']).meta({
      description: 'payment: the answer of the provider is missing or unexpected. refund: it is on its way, or refused',
    }),
    id: z.string(),
    of: z.enum(['order', 'top_up']).meta({ description: 'What the payment is for' }),
    order_no: z.string(),
    organization: organizationRefShape,
    provider: z.string(),
    status: z.string().meta({ description: 'over_returned: more was returned than was charged' }),
    amount_won: won.nullable().meta({ description: 'Null: the whole charge' }),
    returned_won: won,
    attempts: count,
    refusals: count.meta({ description: 'How often the provider has refused it' }),
    reason: z.string().nullable(),
    error: z.string().nullable(),
    created_at: time,
    next_attempt_at: time.nullable().meta({ description: 'Null: nothing more is tried' }),
  })
  .meta({ id: 'UnsettledPayment' });

export const paymentView = (one: ListedPayment) => ({
  kind: one.kind,
  id: one.id,
  of: one.of,
  order_no: one.orderNo,
  provider: one.provider,
  status: one.status,
  organization: organizationRef(one.organization),
  amount_won: one.amountWon,
  returned_won: one.returnedWon,
  attempts: one.attempts,
  refusals: one.refusals,
  reason: one.reason,
  error: one.error,
  created_at: isoTime(one.createdAt),
  next_attempt_at: isoTime(one.nextAttemptAt),
});
