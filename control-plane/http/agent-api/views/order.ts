// An order as its account sees it.
import { z } from 'zod';
import type { DetailedOrder } from '../../../app/orders.js';
import { payUrl, type SiteAddresses } from '../../../domain/addresses.js';
import { type ExtensionItem, orderKinds, orderStatuses } from '../../../domain/order.js';
import { splitVat } from '../../../domain/pricing.js';
import { isoTime } from './build.js';

const won = z.int().min(0);
const time = z.string().nullable();

export const orderShape = z
  .object({
    order_no: z.string(),
    kind: z.enum(orderKinds),
    status: z.enum(orderStatuses),
    pay_url: z.string(),
    rental_ids: z.array(z.string()),
    tier: z.string().nullable(),
    hours: z.int(),
    units: z.int().min(1),
    amount_won: won,
    supply_won: won,
    vat_won: won,
    start: z.string(),
    setup: z.object({ xcode: z.string().nullable() }),
    items: z.array(
      z.object({
        rental_id: z.string(),
        tier: z.string(),
        amount_won: won,
      }),
    ),
    pay_expires_at: z.string(),
    created_at: z.string(),
    paid_at: time,
    receipt_url: z.string().nullable(),
    ended_at: time,
    end_reason: z.enum(['expired', 'canceled_by_person', 'no_capacity', 'refunded_by_operator']).nullable(),
  })
  .meta({ id: 'Order' });

export const orderListShape = z
  .object({ orders: z.array(orderShape), next_before: z.string().nullable() })
  .meta({ id: 'OrderList' });

export function orderView(
  { order, rentalIds, receiptUrl }: DetailedOrder,
  site: SiteAddresses,
): z.infer<typeof orderShape> {
  const { supplyWon, vatWon } = splitVat(order.amountWon);
  return {
    order_no: order.orderNo,
    kind: order.kind,
    status: order.status,
    pay_url: payUrl(site, order.orderNo),
    rental_ids: [...rentalIds],
    tier: order.tier,
    hours: order.hours,
    units: order.units,
    amount_won: order.amountWon,
    supply_won: supplyWon,
    vat_won: vatWon,
    start: isoTime(order.startAt) ?? 'now',
    setup: { ...order.setup },
    items: order.items.map(itemView),
    pay_expires_at: new Date(order.payExpiresAt).toISOString(),
    created_at: new Date(order.createdAt).toISOString(),
    paid_at: isoTime(order.paidAt),
    receipt_url: receiptUrl,
    ended_at: isoTime(order.endedAt),
    end_reason: order.endReason,
  };
}

function itemView({ rentalId, tier, amountWon }: ExtensionItem) {
  return { rental_id: rentalId, tier, amount_won: amountWon };
}
