// The state of a host, and what is wrong with it, for operators.
import { hostReason } from '../../../shared/messages/host-reasons.js';
import { hostBlocks } from '../../../shared/messages/mac-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { operatorProblem } from '../../../shared/messages/operator-problems.js';
import { conflictReason } from './credential-conflict.js';
import { failedChecks, isUnhealthy } from './health.js';
import type { Host } from './host.js';
import { type Move, moveOf } from './host-move.js';

/** The status, or `away` for a host in service that is not connected. */
export type HostState = Host['status'] | 'away';

export function stateOf({ status, connected }: Pick<Host, 'status' | 'connected'>): HostState {
  return status === 'active' && !connected ? 'away' : status;
}

/** Conditions that a host can have besides its state, of which it can have several. */
export const CONDITIONS = [
  'credential_conflict',
  'away',
  'draining',
  'blocked',
  'macs_failing',
  'disk_low',
  'unhealthy',
  'upgrading',
  'moving',
] as const;

/** Every word for which `host list --state` finds a host. */
export const STATES = [
  ...new Set(['pending', 'active', 'away', 'draining', 'cordoned', 'removed', ...CONDITIONS]),
] as const;

/**
 * Returns the state, and every condition of the host.
 *
 * @param macsFailing there are Macs that it cannot make
 */
export function conditionsOf(host: Host, macsFailing: boolean): string[] {
  const holds: Record<(typeof CONDITIONS)[number], boolean> = {
    credential_conflict: host.credentialConflict !== null,
    away: isAway(host),
    draining: host.draining,
    blocked: host.blocked !== null,
    macs_failing: macsFailing,
    disk_low: host.diskLow,
    unhealthy: isUnhealthy(host.health),
    upgrading: isUpgrading(host),
    moving: moveOf(host) !== null,
  };
  return [...new Set<string>([stateOf(host), ...CONDITIONS.filter((name) => holds[name])])];
}

const isAway = ({ connected, status }: Host) => !connected && status !== 'removed' && status !== 'pending';

const isUpgrading = ({ upgrade }: Host) =>
  upgrade !== null && !['idle', 'failed', 'rolled_back'].includes(upgrade.state);

/**
 * Returns why the host is in its state and what is wrong with it, the most important first.
 *
 * @param now ms
 * @example reasonsOf(host, now).map(({ text }) => text) // ['drained by ann 2h ago: new switch', 'away for 12m']
 */
export function reasonsOf(host: Host, now: number): Message[] {
  if (host.status === 'removed') return statusReasons(host, now);
  const { credentialConflict: conflict } = host;
  return [
    ...statusReasons(host, now),
    ...(conflict === null ? [] : [conflictReason(conflict, new Date(conflict.at).toISOString())]),
    ...(isAway(host) ? [awayReason(host, now)] : []),
    ...troubles(host),
  ];
}

function statusReasons({ status, draining, tier, statusBy, statusAt, reason }: Host, now: number): Message[] {
  if (status === 'pending') {
    return [hostReason(tier === null ? 'waits_for_approval_and_tier' : 'waits_for_approval')];
  }
  const values = { by: statusBy ?? '', seconds: secondsSince(statusAt ?? now, now), reason: reason ?? '' };
  return [
    ...(status === 'active' ? [] : [hostReason('status_set', { status, ...values })]),
    ...(draining && status !== 'removed' ? [hostReason('drained_by_itself')] : []),
  ];
}

const secondsSince = (at: number, now: number) => Math.max(0, Math.floor((now - at) / 1000));

const awayReason = ({ lastSeenAt, createdAt }: Host, now: number): Message =>
  lastSeenAt === null
    ? hostReason('never_connected', { seconds: secondsSince(createdAt, now) })
    : hostReason('away', { seconds: secondsSince(lastSeenAt, now) });

function troubles(host: Host): Message[] {
  const { blocked, diskLow, health, upgrade } = host;
  const move = moveOf(host);
  return [
    ...(blocked === null
      ? []
      : [
          hostReason('blocked', {
            cause: blocked.code !== null && isBlockCode(blocked.code) ? blocked.code : 'failed',
            detail: blocked.message,
          }),
        ]),
    ...(diskLow ? [diskReason(host)] : []),
    ...(isUnhealthy(health) ? [hostReason('unhealthy', { checks: failedChecks(health).join(', ') })] : []),
    ...(upgrade === null ? [] : upgradeReasons(upgrade)),
    ...(move === null ? [] : [moveReason(move)]),
  ];
}

const isBlockCode = (code: string): code is keyof typeof hostBlocks => Object.hasOwn(hostBlocks, code);

/** Of a host with little disk space. */
export function diskReason({ inventory }: Host): Message {
  const gibibytes = (bytes = 0) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const free = gibibytes(inventory?.disk_free_bytes);
  return operatorProblem('disk_low', { free, reserve: gibibytes(inventory?.disk_reserve_bytes) });
}

function upgradeReasons({ state, version, ...said }: NonNullable<Host['upgrade']>): Message[] {
  if (state === 'idle') return [];
  const to = version ?? '';
  if (state === 'failed') return [hostReason('upgrade_failed', { version: to, reason: said.error ?? '' })];
  if (state === 'rolled_back') return [hostReason('upgrade_rolled_back', { version: to, reason: said.error ?? '' })];
  return [hostReason('upgrading', { version: to, state })];
}

const moveReason = ({ to, error }: Move): Message =>
  error === null ? hostReason('moving', { to }) : hostReason('not_moved_yet', { to, reason: error.text });
