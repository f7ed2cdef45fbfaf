import { z } from 'zod';
import { accountShape, accountView } from '../../access/http/account-view.js';
import { listedBuildShape, listedBuildView, type ViewContext } from '../../builds/http/build-view.js';
import { queueShape, queueView } from '../../builds/http/queue-view.js';
import { isActive } from '../../macs/domain/mac.js';
import { payUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import type { Account } from '../../platform/domain/caller.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { nextRequestShape } from '../../platform/http/next-request-view.js';
import { count } from '../../platform/http/values.js';
import type { Advice } from '../../renting/domain/advice.js';
import type { Order } from '../../renting/domain/order.js';
import { macShape, macView, quoteHintShape } from '../../renting/http/mac-view.js';
import { orderShape } from '../../renting/http/order-view.js';
import type { AccountStatus } from '../app/status.js';

const adviceShape = z
  .object({
    kind: enumeration(['extend_recommended', 'expiring_soon', 'mac_unavailable', 'queue_backlog', 'no_active_mac'], {
      meanings: {
        extend_recommended: 'a Mac has less than a day left and can be extended',
        expiring_soon: 'a Mac has less than an hour left',
        mac_unavailable:
          'its host has lost the Mac, or cannot make it; it keeps trying. `reason` is the code of the problem',
        queue_backlog: 'many builds wait for few Macs',
        no_active_mac: 'builds cannot start',
      },
    }),
    rental_id: z.string().optional(),
    rental_name: z.string().optional(),
    remaining_s: count.optional(),
    reason: z.string().meta({ description: 'More may come' }),
    quote_hint: quoteHintShape.optional(),
    queued_count: count.optional(),
    active_macs: count.optional(),
    next: z.array(nextRequestShape),
  })
  .meta({ id: 'Advice', title: 'What the account may want to do now' });

const unpaidOrderShape = orderShape
  .pick({
    order_no: true,
    kind: true,
    tier: true,
    units: true,
    hours: true,
    amount_won: true,
    pay_url: true,
    pay_expires_at: true,
  })
  .meta({
    id: 'UnpaidOrder',
    title: 'An order that waits for a person to pay it; it holds its Macs until then',
  });

const unpaidOrderView = (order: Order, site: SiteAddresses): z.infer<typeof unpaidOrderShape> => ({
  order_no: order.orderNo,
  kind: order.kind,
  tier: order.tier,
  units: order.units,
  hours: order.hours,
  amount_won: order.amountWon,
  pay_url: payUrl(site, order.orderNo),
  pay_expires_at: new Date(order.payExpiresAt).toISOString(),
});

export const statusShape = z
  .object({
    account: accountShape,
    plan: z.object({
      kind: z.literal('daily_rental'),
      active_macs: count.meta({ title: 'Macs that exist or are being made' }),
      tiers: z.array(z.string()),
    }),
    macs: z.array(macShape),
    advice: z.array(adviceShape),
    queue: queueShape,
    last_builds: z.array(listedBuildShape),
    unpaid_orders: z.array(unpaidOrderShape).meta({ title: 'Orders that a person may pay now' }),
  })
  .meta({ id: 'AgentStatus', title: 'Macs, queue, last builds and advice in one answer' });

/** About the queue first, then about the Macs that end first; all in their order if there are not more than `most`. */
const mostUrgent = (advice: readonly Advice[], most: number): readonly Advice[] =>
  advice.length <= most
    ? advice
    : advice.toSorted((one, other) => (one.remaining_s ?? -1) - (other.remaining_s ?? -1)).slice(0, most);

/** @param most Macs, pieces of advice, and builds of each list; what is counted is not cut */
export function statusView(
  account: Account,
  status: AccountStatus,
  context: ViewContext,
  most = Number.POSITIVE_INFINITY,
): z.infer<typeof statusShape> {
  const active = status.macs.map(({ mac }) => mac).filter(isActive);
  return {
    account: accountView(account),
    plan: {
      kind: 'daily_rental',
      active_macs: active.length,
      tiers: [...new Set(active.map((mac) => mac.tier))],
    },
    macs: status.macs.slice(0, most).map((mac) => macView(mac, context.now)),
    advice: mostUrgent(status.advice, most).map(({ next, ...rest }) => ({ ...rest, next: [...next] })),
    queue: queueView(status.queue, context, most),
    last_builds: status.lastBuilds.slice(0, most).map((build) => listedBuildView(build, context)),
    unpaid_orders: status.unpaidOrders.map((order) => unpaidOrderView(order, context.site)),
  };
}
