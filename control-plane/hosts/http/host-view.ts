// A host as operators see it.

import { z } from 'zod';
import type { HostUpgrade } from '../../../shared/protocol/index.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { errorShapes, errorView } from '../../platform/http/message-view.js';
import { count, time } from '../../platform/http/values.js';
import type { Host } from '../domain/host.js';
import { saidByHost } from '../domain/rollout.js';

export const hostStatus = enumeration(['pending', 'active', 'draining', 'cordoned', 'removed'], {
  id: 'HostStatus',
  about: 'What operators have set',
  meanings: {
    pending: 'waits for approval, or for a tier',
    active: 'in service',
    draining: 'its builds end, it gets no new ones, and no new Macs',
    cordoned: 'it gets no new Macs; those that are rented go on',
    removed: 'its credential is invalid',
  },
});

export const hostUpgradeShape = z
  .object({
    able: z.boolean().meta({ description: 'The agent can install another version' }),
    platform: z.string(),
    version: z.string().nullable(),
    state: z.enum(['idle', 'downloading', 'installing', 'restarting', 'trying', 'failed', 'rolled_back']),
    ...errorShapes,
  })
  .meta({ id: 'HostUpgrade' })
  .nullable()
  .meta({ description: 'Null: the agent does not report it' });

export const hostFieldsShape = {
  host_id: z.string(),
  name: z.string(),
  tier: z.string().nullable(),
  status: hostStatus,
  reason: z.string().nullable(),
  status_by: z.string().nullable(),
  status_at: time.nullable(),
  labels: z.record(z.string(), z.string()),
  shared: z.boolean().meta({ description: 'Whether the host may serve several accounts at a time' }),
  driver: z.string().nullable(),
  agent_version: z.string().nullable(),
  disk_free_bytes: count.nullable(),
  disk_low: z.boolean(),
  blocked: z
    .object({ code: z.string().nullable(), message: z.string() })
    .nullable()
    .meta({ description: 'Why it cannot create Macs; null: it can' }),
  connected: z.boolean(),
  last_seen_at: time.nullable(),
};

export function hostView(host: Host) {
  return {
    host_id: host.hostId,
    name: host.name,
    tier: host.tier,
    status: host.status,
    reason: host.reason,
    status_by: host.statusBy,
    status_at: isoTime(host.statusAt),
    labels: host.labels,
    shared: host.shared,
    driver: host.driver,
    agent_version: host.agentVersion,
    disk_free_bytes: host.inventory?.disk_free_bytes ?? null,
    disk_low: host.diskLow,
    blocked: host.blocked,
    connected: host.connected,
    last_seen_at: isoTime(host.lastSeenAt),
  };
}

export const hostUpgradeView = (upgrade: HostUpgrade | null): z.infer<typeof hostUpgradeShape> =>
  upgrade && {
    able: upgrade.able,
    platform: upgrade.platform,
    version: upgrade.version,
    state: upgrade.state,
    ...errorView({ error: saidByHost(upgrade) }),
  };
