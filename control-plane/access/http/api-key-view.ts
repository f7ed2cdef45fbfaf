import { z } from 'zod';
import { levels } from '../../platform/domain/caller.js';
import type { ApiKey } from '../domain/api-key.js';

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
    last_used_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    revoked_reason: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });

export function apiKeyView(key: ApiKey): z.infer<typeof apiKeyShape> {
  return {
    id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    levels: [...key.levels],
    cidrs: [...key.cidrs],
    workspace_id: key.workspaceId,
    expires_at: time(key.expiresAt),
    created_at: new Date(key.createdAt).toISOString(),
    last_used_at: time(key.lastUsedAt),
    revoked_at: time(key.revokedAt),
    revoked_reason: key.revokedReason,
  };
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
