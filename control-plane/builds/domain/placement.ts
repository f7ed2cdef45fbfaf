// Decides which Mac can take which build, and which build starts next.

import { hasLabels } from '../../hosts/domain/host-labels.js';
import { isActive, type Mac } from '../../macs/domain/mac.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { WaitReason } from './build.js';
import { inQueueOrder, type QueuedBuild } from './queue.js';

export type Readiness = 'reserved' | 'preparing' | 'maintenance' | 'busy' | 'free';

/**
 * A Mac is unavailable while its host is disconnected or takes no builds, as during maintenance. A Mac with a queued
 * job gets no further build, and when it will take one again is unknown.
 */
export function readinessOf(mac: Pick<Mac, 'state' | 'repairing' | 'hostTakesBuilds' | 'openJob'>): Readiness {
  const takesBuilds = mac.hostTakesBuilds && mac.openJob === null;
  switch (mac.state) {
    case 'reserved':
      return 'reserved';
    case 'preparing':
      return mac.repairing ? 'maintenance' : 'preparing';
    case 'ready':
      return takesBuilds ? 'free' : 'maintenance';
    case 'building':
      return takesBuilds ? 'busy' : 'maintenance';
    default:
      return 'maintenance';
  }
}

export type Need = Pick<QueuedBuild, 'pinnedRentalId' | 'xcode' | 'labels'>;

/** Returns whether the Mac matches the build's pin, Xcode and labels. */
export function fits(mac: Mac, need: Need): boolean {
  return (
    isActive(mac) &&
    (need.pinnedRentalId === null || need.pinnedRentalId === mac.rentalId) &&
    (need.xcode === null || mac.xcodeVersions.includes(need.xcode)) &&
    hasLabels(mac.labels, need.labels)
  );
}

/** A build may start any time before the rental's end, even if its timeout ends later. */
export function inRental(mac: Mac, at: number): boolean {
  return mac.readyAt === null || mac.awaySince !== null || at < mac.usableUntil;
}

/**
 * Orders Macs on which a build could start at the same time: first those whose rental outlasts the build's timeout,
 * then a fixed order, so that a single developer's builds reuse warm caches.
 */
export function preferMac(a: Mac, b: Mac, startAt: number, timeoutMs: number): number {
  const tooShort = (mac: Mac) => (startAt + timeoutMs > mac.usableUntil ? 1 : 0);
  return tooShort(a) - tooShort(b) || a.createdAt - b.createdAt || (a.rentalId < b.rentalId ? -1 : 1);
}

/** Returns the Mac on which the build can start now, or null. */
export function freeMacFor(build: QueuedBuild, macs: readonly Mac[], now: number): Mac | null {
  let best: Mac | null = null;
  for (const mac of macs) {
    if (readinessOf(mac) !== 'free' || !fits(mac, build) || !inRental(mac, now)) continue;
    if (!best || preferMac(mac, best, now, build.timeoutMin * 60_000) < 0) best = mac;
  }
  return best;
}

/** Running builds per API key (null: console sessions, which have no limit). */
export type RunningPerKey = ReadonlyMap<string | null, number>;

export function keyIsAtLimit(keyId: string | null, running: RunningPerKey, limits: Limits): boolean {
  return keyId !== null && (running.get(keyId) ?? 0) >= limits.concurrent_builds;
}

/**
 * Returns the next build to start and its Mac; null if nothing can start now.
 *
 * @param heads at least the first build of every queue class, per priority and requeued or not
 */
export function nextAssignment<B extends QueuedBuild>(
  heads: readonly B[],
  macs: readonly Mac[],
  running: RunningPerKey,
  now: number,
  limits: Limits,
): { build: B; mac: Mac } | null {
  for (const build of inQueueOrder(heads, now, limits)) {
    if (keyIsAtLimit(build.keyId, running, limits)) continue;
    const mac = freeMacFor(build, macs, now);
    if (mac) return { build, mac };
  }
  return null;
}

/** Returns why a waiting build does not run yet; null if it is about to start. */
export function waitReasonOf(
  build: QueuedBuild,
  macs: readonly Mac[],
  running: RunningPerKey,
  limits: Limits,
): WaitReason | null {
  const active = macs.filter(isActive);
  const pinned = build.pinnedRentalId !== null;
  const there = pinned ? active.filter((mac) => mac.rentalId === build.pinnedRentalId) : active;
  if (there.length === 0) return 'waiting_for_rental';
  const able = there.filter((mac) => fits(mac, build));
  if (able.length === 0) return 'xcode_unavailable';
  const readiness = new Set(able.map(readinessOf));
  if (readiness.has('free')) return keyIsAtLimit(build.keyId, running, limits) ? 'concurrency_limit' : null;
  if (readiness.has('busy')) return pinned ? 'pinned_mac_busy' : 'mac_busy';
  return readiness.has('preparing') ? 'mac_preparing' : 'mac_in_maintenance';
}
