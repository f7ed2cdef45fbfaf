import { z } from 'zod';
import { levels } from '../../platform/domain/caller.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { ListedKey } from '../app/api-keys.js';

export const apiKeyShape = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Identifies the key to people. */
    prefix: z.string(),
    levels: z.array(z.enum(levels)),
    cidrs: z.array(z.string()),
    workspace_id: z.string().nullable(),
    expires_at: z.string().nullable(),
    created_at: z.string(),
    created_by: z
      .object({ user_id: z.string(), email: z.string() })
      .nullable()
      .meta({ description: 'Null: an operator of the service' }),
    last_used_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    revoked_reason: z.string().nullable(),
    leaked_url: z.string().nullable().meta({ description: 'Where a leaked key was found, if known' }),
  })
  .meta({ id: 'ApiKey' });

export function apiKeyView(key: ListedKey): z.infer<typeof apiKeyShape> {
  return {
    id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    levels: [...key.levels],
    cidrs: [...key.cidrs],
    workspace_id: key.workspaceId,
    expires_at: isoTime(key.expiresAt),
    created_at: isoTime(key.createdAt),
    created_by: key.createdBy === null || key.creator === null ? null : { user_id: key.createdBy, email: key.creator },
    last_used_at: isoTime(key.lastUsedAt),
    revoked_at: isoTime(key.revokedAt),
    revoked_reason: key.revokedReason,
    leaked_url: key.leakedUrl,
  };
}
