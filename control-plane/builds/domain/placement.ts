// Which Mac can take which build, and which build starts next.

import { isActive, type Mac } from '../../macs/domain/mac.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { WaitReason } from './build.js';
import { inQueueOrder, type QueuedBuild } from './queue.js';

export type Readiness = 'reserved' | 'preparing' | 'maintenance' | 'busy' | 'free';

/**
 * A host that is away, or takes no builds, puts its Macs out of use as maintenance does. A Mac for which a job waits
 * gets no further build: when its turn will come again is not known.
 */
export function readinessOf(
  mac: Pick<Mac, 'state' | 'repairing' | 'hostTakesBuilds' | 'openJob'>,
): Readiness {
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

export type Need = Pick<QueuedBuild, 'pinnedRentalId' | 'xcode'>;

/** Could the Mac run the build at some time: pin and Xcode. */
export function fits(mac: Mac, need: Need): boolean {
  return (
    isActive(mac) &&
    (need.pinnedRentalId === null || need.pinnedRentalId === mac.rentalId) &&
    (need.xcode === null || mac.xcodeVersions.includes(need.xcode))
  );
}

/** A build may begin until the rental's end; it need not be able to use its whole timeout before it. */
export function inRental(mac: Mac, at: number): boolean {
  return mac.readyAt === null || mac.awaySince !== null || at < mac.usableUntil;
}

/**
 * Of Macs on which a build could begin at the same moment: first one whose rental lasts as long as the build
 * may take, then always the same order, so that a lone developer's builds meet the caches of the last one.
 */
export function preferMac(a: Mac, b: Mac, startAt: number, timeoutMs: number): number {
  const tooShort = (mac: Mac) => (startAt + timeoutMs > mac.usableUntil ? 1 : 0);
  return tooShort(a) - tooShort(b) || a.createdAt - b.createdAt || (a.rentalId < b.rentalId ? -1 : 1);
}

/** The Mac on which the build can begin now, or null. */
export function freeMacFor(build: QueuedBuild, macs: readonly Mac[], now: number): Mac | null {
  let best: Mac | null = null;
  for (const mac of macs) {
    if (readinessOf(mac) !== 'free' || !fits(mac, build) || !inRental(mac, now)) continue;
    if (!best || preferMac(mac, best, now, build.timeoutMin * 60_000) < 0) best = mac;
  }
  return best;
}

/** Running builds per API key (null: console sessions, which have no limit of their own). */
export type RunningPerKey = ReadonlyMap<string | null, number>;

export function keyIsAtLimit(keyId: string | null, running: RunningPerKey, limits: Limits): boolean {
  return keyId !== null && (running.get(keyId) ?? 0) >= limits.concurrent_builds;
}

/**
 * The next build to start and the Mac for it; null when nothing can start now.
 *
 * @param heads at least the first build of every lane, per priority and requeued or not
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

/** Why a waiting build does not run yet; null when it is about to. */
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
