// A host in a word and a sentence, for operators.
import { conflictReason } from './credential-conflict.js';
import { failedChecks, isUnhealthy } from './health.js';
import type { Host } from './host.js';
import { moveText } from './host-move.js';

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
    moving: moveText(host) !== null,
  };
  return [...new Set<string>([stateOf(host), ...CONDITIONS.filter((name) => holds[name])])];
}

const isAway = ({ connected, status }: Host) => !connected && status !== 'removed' && status !== 'pending';

const isUpgrading = ({ upgrade }: Host) =>
  upgrade !== null && !['idle', 'failed', 'rolled_back'].includes(upgrade.state);

/**
 * Returns why the host is in its state and what is wrong with it, the most important first; an empty string if there is
 * nothing to say.
 *
 * @param now ms
 * @example whyOf(host, now) // 'drained by ann 2h ago: new switch; away for 12m'
 */
export function whyOf(host: Host, now: number): string {
  if (host.status === 'removed') return done('removed', host, now);
  return [statusText(host, now), conflictText(host, now), awayText(host, now), ...troubles(host)]
    .filter((part) => part !== '')
    .join('; ');
}

function statusText(host: Host, now: number): string {
  const { status, draining, tier } = host;
  const own = draining ? 'drained by its own configuration' : '';
  if (status === 'draining')
    return [done('drained', host, now), own && 'and by its own configuration'].join(' ').trim();
  if (status === 'cordoned') return [done('cordoned', host, now), own].filter((part) => part !== '').join('; ');
  if (status === 'pending') return tier === null ? 'waits for approval and a tier' : 'waits for approval';
  return own;
}

/** @example 'drained by ann 2h ago: new switch' */
function done(word: string, { statusBy, statusAt, reason, status }: Host, now: number): string {
  const by = statusBy === null ? '' : ` by ${statusBy}`;
  const at = statusAt === null ? '' : ` ${spanText(now - statusAt)} ago`;
  return `${word}${by}${at}${reason === null || status === 'active' ? '' : `: ${reason}`}`;
}

function conflictText({ credentialConflict }: Host, now: number): string {
  if (credentialConflict === null) return '';
  return conflictReason(credentialConflict, `${spanText(now - credentialConflict.at)} ago`).text;
}

function awayText(host: Host, now: number): string {
  if (!isAway(host)) return '';
  if (host.lastSeenAt === null) return `never connected since it was enrolled ${spanText(now - host.createdAt)} ago`;
  return `away for ${spanText(now - host.lastSeenAt)}`;
}

function troubles(host: Host): string[] {
  const { blocked, diskLow, inventory, health, upgrade } = host;
  const move = moveText(host);
  const free = ((inventory?.disk_free_bytes ?? 0) / 1024 ** 3).toFixed(1);
  return [
    blocked === null ? '' : `cannot create Macs: ${blocked.message}`,
    diskLow ? `disk low: ${free} GiB free, takes no builds` : '',
    isUnhealthy(health) ? `unhealthy: ${failedChecks(health).join(', ')}` : '',
    upgrade === null ? '' : upgradeText(upgrade),
    move === null ? '' : `moving to ${move}`,
  ];
}

function upgradeText({ state, version, error: why }: NonNullable<Host['upgrade']>): string {
  if (state === 'idle') return '';
  const to = version === null ? '' : ` to ${version}`;
  if (state === 'failed') return `upgrade${to} failed${error(why)}`;
  if (state === 'rolled_back') return `upgrade${to} rolled back${error(why)}`;
  return `upgrading${to} (${state})`;
}

const error = (text: string | null) => (text === null ? '' : `: ${text}`);

/**
 * Returns a span of time in its largest unit.
 *
 * @example spanText(3 * 3_600_000) // '3h'
 */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
