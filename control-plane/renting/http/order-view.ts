// An order as its account sees it.
import { z } from 'zod';
import { payUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { nextBefore, time, won } from '../../platform/http/values.js';
import type { DetailedOrder } from '../app/order-lookup.js';
import { type ExtensionItem, orderEndReasons, orderKinds, orderStatuses } from '../domain/order.js';
import { splitVat } from '../domain/pricing.js';

export const orderStatus = enumeration(orderStatuses, {
  id: 'OrderStatus',
  meanings: {
    awaiting_payment: 'a person has to open `pay_url`, consent and pay; its Macs are held until `pay_expires_at`',
    paid: 'paid; its Macs are being found',
    provisioning: 'paid; its Macs are being prepared, or begin later',
    ready: 'its Macs are ready; an extension: the time was added',
    expired: 'it was not paid in time',
    canceled: '`end_reason` says why; the payment is refunded',
  },
});

export const orderShape = z
  .object({
    order_no: z.string(),
    kind: enumeration(orderKinds, {
      plain: true,
      meanings: { rental: 'new Macs', extension: 'more time for Macs' },
    }),
    status: orderStatus,
    pay_url: z.string().meta({ description: 'For a person of the account. Valid until `pay_expires_at`.' }),
    rental_ids: z.array(z.string()).meta({ title: 'Its Macs, once it is paid' }),
    names: z.array(z.string()).meta({
      description: 'Of these Macs; before it is paid, those that it asks for',
    }),
    rentals_start_at: time.nullable().meta({
      title: 'When they start, while all are reserved',
    }),
    rentals_ended_at: time.nullable().meta({
      title: 'When the last one ended, once all have',
    }),
    tier: z.string().nullable().meta({ description: 'Null: an extension of several tiers' }),
    hours: z.int().meta({ description: 'Of each Mac' }),
    units: z.int().min(1).meta({ title: 'Macs' }),
    amount_won: won.meta({ title: 'VAT included' }),
    supply_won: won.meta({ description: 'Without VAT' }),
    vat_won: won,
    start: z.string().meta({ description: '`now`, or an ISO time' }),
    setup: z.object({ xcode: z.string().nullable() }),
    items: z
      .array(
        z.object({
          rental_id: z.string(),
          tier: z.string(),
          amount_won: won,
          refunded: z.boolean().meta({ description: 'Refunded, and its time was removed' }),
        }),
      )
      .meta({ title: 'The Macs that are extended. Empty for a rental order.' }),
    pay_expires_at: time,
    created_at: time,
    paid_at: time.nullable(),
    receipt_url: z.string().nullable(),
    refunded_won: won.meta({ title: 'Refunded part of `amount_won`; 0 if none' }),
    refunded_at: time.nullable().meta({
      title: 'Last refund; the bank may need some days more',
    }),
    ended_at: time.nullable().meta({ title: 'When it expired, was canceled or was refunded' }),
    end_reason: enumeration(orderEndReasons, {
      meanings: {
        expired: 'it was not paid in time',
        canceled_by_person: 'a person or the operator canceled it before it was paid',
        payment_failed: 'its payment did not match or had no consent; it is refunded',
        no_capacity: 'no Mac could be provided; the payment is refunded',
        refunded_by_operator: 'the operator refunded it, or the rental that it extends',
      },
    })
      .nullable()
      .meta({ title: 'Why it ended: expired, canceled, or refunded as a whole' }),
  })
  .meta({
    id: 'Order',
    description: 'Only a person who is signed in can consent and pay, at `pay_url`',
  });

export const orderListShape = z
  .object({ orders: z.array(orderShape), next_before: nextBefore })
  .meta({ id: 'OrderPage' });

export function orderView(
  { order, rentalIds, names, rentalsStartAt, rentalsEndedAt, receiptUrl }: DetailedOrder,
  site: SiteAddresses,
): z.infer<typeof orderShape> {
  const { supplyWon, vatWon } = splitVat(order.amountWon);
  return {
    order_no: order.orderNo,
    kind: order.kind,
    status: order.status,
    pay_url: payUrl(site, order.orderNo),
    rental_ids: [...rentalIds],
    names: [...names],
    rentals_start_at: isoTime(rentalsStartAt),
    rentals_ended_at: isoTime(rentalsEndedAt),
    tier: order.tier,
    hours: order.hours,
    units: order.units,
    amount_won: order.amountWon,
    supply_won: supplyWon,
    vat_won: vatWon,
    start: isoTime(order.startAt) ?? 'now',
    setup: { ...order.setup },
    items: order.items.map(itemView),
    pay_expires_at: isoTime(order.payExpiresAt),
    created_at: isoTime(order.createdAt),
    paid_at: isoTime(order.paidAt),
    receipt_url: receiptUrl,
    refunded_won: order.refundedWon,
    refunded_at: isoTime(order.refundedAt),
    ended_at: isoTime(order.endedAt),
    end_reason: order.endReason,
  };
}

function itemView({ rentalId, tier, amountWon, refunded }: ExtensionItem) {
  return { rental_id: rentalId, tier, amount_won: amountWon, refunded };
}
