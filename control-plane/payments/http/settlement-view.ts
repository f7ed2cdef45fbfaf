import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time, won } from '../../platform/http/values.js';
import type { ManualSettlement } from '../domain/manual-settlement.js';

export const settlementKinds = ['over_returned', 'refused'] as const;

export const settlementShape = z
  .object({
    id: z.string().meta({ description: 'The order number of the payment, or the id of the refund' }),
    kind: z.enum(settlementKinds).meta({
      description: 'over_returned: more was returned than was charged. refused: the provider refuses the refund',
    }),
    amount_won: won.nullable().meta({ description: 'Null: the whole charge' }),
    created_at: time,
    settled_at: time.nullable().meta({ description: 'Null: an operator must settle it with the provider' }),
    settled_by: z.string().nullable().meta({
      description: 'The operator; null with a time: the service saw that the money went back',
    }),
    note: z.string().nullable(),
  })
  .meta({ id: 'ManualSettlement' });

export const settlementView = (one: ManualSettlement): z.infer<typeof settlementShape> => ({
  id: one.id,
  kind: one.kind,
  amount_won: one.amountWon,
  created_at: isoTime(one.createdAt),
  settled_at: isoTime(one.settledAt),
  settled_by: one.settledBy,
  note: one.note,
});
