// What a key can read about itself: GET /me.
import { z } from 'zod';
import { type AccountLimitName, accountLimitTable, limitsOf } from '../../platform/domain/account-limits.js';
import { type Account, type Caller, levels } from '../../platform/domain/caller.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { count, time } from '../../platform/http/values.js';
import type { UsageNow } from '../app/account-usage.js';

const keyLevel = enumeration(levels, {
  id: 'KeyLevel',
  about: 'No level includes another',
  meanings: {
    read: 'read the account, its Macs, builds and logs',
    build: 'upload sources, submit and cancel builds',
    manage: 'order and change Macs, manage secrets and webhooks',
  },
});

export const accountShape = z
  .object({
    id: z.int().min(0),
    name: z.string().nullable(),
    slug: z.string().nullable(),
    status: z.string(),
  })
  .meta({ id: 'Account' });

const accountLimitShape = Object.fromEntries(
  Object.entries(accountLimitTable).map(([name, { meaning }]) => [
    name,
    count.meta({ title: meaning.charAt(0).toUpperCase() + meaning.slice(1) }),
  ]),
) as Record<AccountLimitName, typeof count>;

const usageShape = z
  .object({
    contents_bytes: count.meta({ title: 'Files of uploads; equal files count once' }),
    artifacts_bytes: count,
    logs_bytes: count.meta({ title: 'Of builds that have ended' }),
    records_bytes: count.meta({
      description: 'In the database: builds, events, secrets and others',
    }),
    held_slots: count.meta({ title: 'Slots with a Mac, or held by an unpaid order' }),
    parked_requests: count,
    concurrent_uploads: count,
  })
  .meta({ id: 'AccountUsage', title: 'What the account uses now' });

export const meShape = z
  .object({
    account: accountShape.extend({
      org_id: z.string(),
      payments_blocked: z.boolean().meta({ description: 'True: the account cannot order' }),
    }),
    key: z
      .object({
        id: z.string(),
        name: z.string(),
        prefix: z.string(),
        levels: z.array(keyLevel),
        expires_at: time.nullable(),
        cidrs: z.array(z.string()).meta({ description: 'Allowed address ranges; empty: any' }),
      })
      .nullable()
      .meta({ description: 'Null only for a person in the console' }),
    workspace_id: z.string().meta({ title: 'The workspace that the key belongs to' }),
    scopes: z.array(z.string()).meta({ description: 'As `agent:read`, and so on' }),
    limits: z.object({
      requests_per_minute: z.int(),
      pending_orders: z.int(),
      concurrent_builds: z.int(),
      queued_builds: z.int(),
      ...accountLimitShape,
    }),
    usage: usageShape,
    remaining_requests: z.int().min(0).meta({ title: 'Requests that remain now' }),
    remaining_resets_at: time.meta({ description: 'When the full quota is available again' }),
  })
  .meta({ id: 'Me', title: 'The account, and the key of this request' });

export function accountView({ id, name, slug, status }: Account): z.infer<typeof accountShape> {
  return { id, name, slug, status };
}

/** @param resetsAt when the full quota is available again, in ms */
export function meView(
  { account, key, levels, workspaceId }: Caller,
  limits: Limits,
  usage: z.infer<typeof usageShape>,
  { remaining, resetsAt }: { readonly remaining: number; readonly resetsAt: number },
): z.infer<typeof meShape> {
  return {
    account: {
      ...accountView(account),
      org_id: account.orgId,
      payments_blocked: account.paymentsBlocked,
    },
    key: key && {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      levels: [...key.levels],
      expires_at: isoTime(key.expiresAt),
      cidrs: [...key.cidrs],
    },
    workspace_id: workspaceId,
    scopes: levels.map((level) => `agent:${level}`),
    limits: {
      requests_per_minute: limits.requests_per_minute,
      pending_orders: limits.pending_orders,
      concurrent_builds: limits.concurrent_builds,
      queued_builds: limits.queued_builds,
      ...limitsOf(account, limits),
    },
    usage,
    remaining_requests: remaining,
    remaining_resets_at: isoTime(resetsAt),
  };
}

/** Without the open requests, which only the running service knows. */
export const usageView = (
  usage: UsageNow,
): Omit<z.infer<typeof usageShape>, 'parked_requests' | 'concurrent_uploads'> => ({
  contents_bytes: usage.contentsBytes,
  artifacts_bytes: usage.artifactsBytes,
  logs_bytes: usage.logsBytes,
  records_bytes: usage.recordsBytes,
  held_slots: usage.heldSlots,
});
