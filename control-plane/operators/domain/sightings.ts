// What is wrong with hosts and capacity right now.
import { macLabel } from '../../../shared/mac-name.js';
import type { Message } from '../../../shared/messages/message.js';
import { operatorProblem } from '../../../shared/messages/operator-problems.js';
import { conflictReason } from '../../hosts/domain/credential-conflict.js';
import { failedChecks, isUnhealthy, problemsOf } from '../../hosts/domain/health.js';
import type { Host } from '../../hosts/domain/host.js';
import { diskReason } from '../../hosts/domain/host-summary.js';
import type { FailingMac } from '../../macs/domain/making.js';
import type { ManualSettlement } from '../../payments/domain/manual-settlement.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SlotCounts } from '../../renting/domain/capacity.js';
import type { ProblemKind, Sighting } from './problem.js';

export type SightingLimits = Pick<Limits, 'notice_offline_ms' | 'capacity_low_percent'>;

/** Ms since the epoch from which a disconnected host counts as offline. */
const offlineAt = ({ lastSeenAt, createdAt }: Host, limits: SightingLimits) =>
  (lastSeenAt ?? createdAt) + limits.notice_offline_ms;

/** Of a removed host or one that no operator has approved: nothing. */
export function sightingsOfHost(
  host: Host,
  macs: readonly FailingMac[],
  now: number,
  limits: SightingLimits,
): Sighting[] {
  if (host.status === 'removed' || host.status === 'pending') return [];
  const { hostId: subject, name } = host;
  // An operator drains a host to work on it, so its problems are expected then.
  const isNews = host.status !== 'draining';
  const unclear = (kind: ProblemKind): Sighting => ({ kind, subject, name, state: 'unclear' });
  const present = (kind: ProblemKind, reason: Message): Sighting =>
    isNews ? { kind, subject, name, state: 'present', reason } : unclear(kind);
  const conflict = conflictOf(host);
  if (!host.connected) {
    const isLong = now >= offlineAt(host, limits);
    return [
      ...conflict,
      isLong ? present('host.offline', offlineReason(host)) : unclear('host.offline'),
      // What a host reported before it was disconnected may be over.
      unclear('host.unhealthy'),
      unclear('host.disk_low'),
      unclear('host.macs_failing'),
    ];
  }
  return [
    ...conflict,
    ...(isUnhealthy(host.health) ? [present('host.unhealthy', healthReason(host))] : []),
    ...(host.diskLow ? [present('host.disk_low', diskReason(host))] : []),
    ...(macs.length > 0 ? [present('host.macs_failing', macsReason(macs))] : []),
  ];
}

/** Until an operator has dealt with it; also of a host that is drained meanwhile. */
function conflictOf({ hostId, name, credentialConflict }: Host): Sighting[] {
  if (credentialConflict === null) return [];
  const reason = conflictReason(credentialConflict, new Date(credentialConflict.at).toISOString());
  return [{ kind: 'host.credential_conflict', subject: hostId, name, state: 'present', reason }];
}

function offlineReason({ lastSeenAt, createdAt }: Host): Message {
  const since = new Date(lastSeenAt ?? createdAt).toISOString();
  return operatorProblem(lastSeenAt === null ? 'never_connected' : 'not_heard', { since });
}

function healthReason({ health }: Host): Message {
  const failed = failedChecks(health);
  const warnings = problemsOf(health).length - failed.length;
  return operatorProblem('checks_failed', { checks: failed.join(', '), warnings });
}

function macsReason(macs: readonly FailingMac[]): Message {
  const labels = macs.map((mac) => `${mac.orgName} / ${macLabel(mac)}: ${mac.problem.code}`);
  return operatorProblem('macs_failing', { count: macs.length, macs: labels.join(', ') });
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
  const reason = operatorProblem('few_slots', { free, total, used, unsellable });
  return [{ kind: 'capacity.low', subject: tier, name: tier, state: 'present', reason }];
}

/** Of a payment or refund that the operator has to settle with the provider. */
export const sightingOfSettlement = (settlement: ManualSettlement): Sighting => ({
  kind: 'payment.unsettled',
  subject: settlement.id,
  name: settlement.orderNo,
  state: 'present',
  reason: settlementReason(settlement),
});

function settlementReason({ kind, amountWon: won }: ManualSettlement): Message {
  if (kind === 'over_returned') {
    return won === null ? operatorProblem('over_returned_unknown') : operatorProblem('over_returned', { won });
  }
  return won === null ? operatorProblem('whole_refund_refused') : operatorProblem('refund_refused', { won });
}
