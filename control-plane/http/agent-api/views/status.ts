import { z } from 'zod';
import type { AccountStatus } from '../../../app/status.js';
import type { Account } from '../../../domain/caller.js';
import { isActive } from '../../../domain/rental.js';
import { accountShape, accountView } from './account.js';
import { buildShape, buildView, type ViewContext } from './build.js';
import { macShape, macView, quoteHintShape } from './mac.js';
import { queueShape, queueView } from './queue.js';

const adviceShape = z
  .object({
    kind: z.enum(['extend_recommended', 'expiring_soon', 'queue_backlog', 'no_active_mac']),
    rental_id: z.string().optional(),
    remaining_s: z.int().min(0).optional(),
    reason: z.string(),
    quote_hint: quoteHintShape.optional(),
    queued_count: z.int().min(0).optional(),
    active_macs: z.int().min(0).optional(),
    next: z.array(
      z.object({
        action: z.string(),
        method: z.string(),
        path: z.string(),
        body: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .meta({ id: 'Advice' });

export const statusShape = z
  .object({
    account: accountShape,
    plan: z.object({
      kind: z.literal('daily_rental'),
      active_macs: z.int().min(0),
      tiers: z.array(z.string()),
    }),
    macs: z.array(macShape),
    advice: z.array(adviceShape),
    queue: queueShape,
    last_builds: z.array(buildShape).max(10),
  })
  .meta({ id: 'Status' });

export function statusView(
  account: Account,
  status: AccountStatus,
  context: ViewContext,
): z.infer<typeof statusShape> {
  const active = status.macs.map(({ mac }) => mac).filter(isActive);
  return {
    account: accountView(account),
    plan: {
      kind: 'daily_rental',
      active_macs: active.length,
      tiers: [...new Set(active.map((mac) => mac.tier))],
    },
    macs: status.macs.map((mac) => macView(mac, context.now)),
    advice: status.advice.map(({ next, ...rest }) => ({ ...rest, next: [...next] })),
    queue: queueView(status.queue, context),
    last_builds: status.lastBuilds.map((build) => buildView(build, context)),
  };
}
