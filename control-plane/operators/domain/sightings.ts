// What is wrong with hosts and capacity right now.
import { healthText, isUnhealthy } from '../../hosts/domain/health.js';
import type { Host } from '../../hosts/domain/host.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SlotCounts } from '../../renting/domain/slot-counts.js';
import type { ProblemKind, Sighting } from './problem.js';

export type SightingLimits = Pick<Limits, 'notice_offline_ms' | 'capacity_low_percent'>;

/** Ms since the epoch from which a disconnected host counts as offline. */
const offlineAt = ({ lastSeenAt, createdAt }: Host, limits: SightingLimits) =>
  (lastSeenAt ?? createdAt) + limits.notice_offline_ms;

/** Of a removed host or one that no operator has approved: nothing. */
export function sightingsOfHost(host: Host, now: number, limits: SightingLimits): Sighting[] {
  if (host.status === 'removed' || host.status === 'pending') return [];
  // An operator drains a host to work on it, so its problems are expected then.
  const isNews = host.status !== 'draining';
  const sighting = (kind: ProblemKind, isPresent: boolean, message: string): Sighting => ({
    ...{ kind, subject: host.hostId, name: host.name, message },
    state: isPresent && isNews ? 'present' : 'unclear',
  });
  if (!host.connected) {
    const since = new Date(host.lastSeenAt ?? host.createdAt).toISOString();
    const text = host.lastSeenAt === null ? `has not connected since ${since}` : `not heard since ${since}`;
    return [
      sighting('host.offline', now >= offlineAt(host, limits), text),
      // What a host reported before it was disconnected may be over.
      sighting('host.unhealthy', false, ''),
      sighting('host.disk_low', false, ''),
    ];
  }
  return [
    ...(isUnhealthy(host.health) ? [sighting('host.unhealthy', true, healthText(host.health))] : []),
    ...(host.diskLow ? [sighting('host.disk_low', true, diskText(host))] : []),
  ];
}

function diskText({ inventory }: Host): string {
  const gibibytes = (bytes = 0) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  return `${gibibytes(inventory?.disk_free_bytes)} free, less than the reserve of ${gibibytes(inventory?.disk_reserve_bytes)}: takes no builds`;
}

/** Returns when a host that is disconnected now will count as offline; null: never, or it does already. */
export function offlineNext(hosts: readonly Host[], now: number, limits: SightingLimits): number | null {
  const times = hosts
    .filter(({ connected, status }) => !connected && status !== 'removed' && status !== 'pending')
    .map((host) => offlineAt(host, limits))
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) : null;
}

/** Of a tier whose sales are closed, or without slots: nothing. */
export function sightingsOfTier(
  { tier, salesOpen }: { readonly tier: string; readonly salesOpen: boolean },
  { free, used, unsellable }: SlotCounts,
  limits: SightingLimits,
): Sighting[] {
  const total = free + used + unsellable;
  if (!salesOpen || total === 0 || free * 100 >= total * limits.capacity_low_percent) return [];
  const message = `${free} of ${total} slots can be sold (${used} used, ${unsellable} unsellable)`;
  return [{ kind: 'capacity.low', subject: tier, name: tier, state: 'present', message }];
}
