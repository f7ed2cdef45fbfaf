// An upgrade of agents as operators see it.

import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { storedError } from '../../platform/domain/stored-message.js';
import { errorShapes, errorView } from '../../platform/http/message-view.js';
import { count, time } from '../../platform/http/values.js';
import type { RolloutView } from '../app/rollouts.js';
import type { RolloutHost } from '../domain/rollout.js';
import { hostUpgradeShape, hostUpgradeView } from './host-view.js';

export const rolloutShape = z
  .object({
    version: z.string(),
    status: z.enum(['running', 'done', 'failed', 'cancelled']),
    ...errorShapes,
    error_host: z.string().nullable().meta({ description: 'The name of the host that failed' }),
    soak_until: time.nullable().meta({ description: 'When the other hosts follow the canaries' }),
    created_at: time.nullable(),
    ended_at: time.nullable(),
    hosts_total: count,
    hosts_done: count,
    hosts: z.array(
      z.object({
        host_id: z.string(),
        name: z.string(),
        agent_version: z.string().nullable(),
        connected: z.boolean(),
        canary: z.boolean(),
        state: z.enum(['waiting', 'upgrading', 'done', 'failed', 'left_out']),
        ...errorShapes,
        upgrade: hostUpgradeShape,
        started_at: time.nullable(),
        ended_at: time.nullable(),
      }),
    ),
  })
  .meta({ id: 'Rollout', description: 'The newest upgrade of agents' });

/** Those that need attention first, where not all are shown. */
const urgency = ['failed', 'upgrading', 'waiting', 'left_out', 'done'];

/** @param most hosts (default: all), which are then in the order in which they are upgraded */
export function rolloutView(
  { rollout, hosts }: RolloutView,
  most = Number.POSITIVE_INFINITY,
): z.infer<typeof rolloutShape> {
  const by = (state: string) => urgency.indexOf(state);
  const shown =
    hosts.length <= most ? hosts : hosts.toSorted((one, other) => by(one.state) - by(other.state)).slice(0, most);
  return {
    version: rollout.version,
    status: rollout.status,
    error_host: rollout.errorHost,
    ...failureView(rollout),
    soak_until: isoTime(rollout.soakUntil),
    created_at: isoTime(rollout.createdAt),
    ended_at: isoTime(rollout.endedAt),
    hosts_total: hosts.length,
    hosts_done: hosts.filter(({ state }) => state === 'done').length,
    hosts: shown.map(({ host, canary, state, startedAt, endedAt, ...failed }) => ({
      host_id: host.hostId,
      name: host.name,
      agent_version: host.agentVersion,
      connected: host.connected,
      canary,
      state,
      ...failureView(failed),
      upgrade: hostUpgradeView(host.upgrade),
      started_at: isoTime(startedAt),
      ended_at: isoTime(endedAt),
    })),
  };
}

/** The text of the whole upgrade's error names the host; its message does not. */
const failureView = (failed: Pick<RolloutHost, 'error' | 'errorMessage'>) => ({
  ...errorView({ error: storedError(failed) }),
  error: failed.error,
});
