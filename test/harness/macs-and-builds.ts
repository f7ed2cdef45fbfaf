// Macs and waiting builds for tests of pure functions.
import type { QueuedBuild } from '../../control-plane/builds/domain/queue.js';
import type { RentalWithMac } from '../../control-plane/renting/domain/rental.js';
import { m4 } from './samples.js';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Returns a ready Mac, rented for another 30 days. */
export function macAt(rentalId: string, given: Partial<RentalWithMac> = {}): RentalWithMac {
  return {
    rentalId,
    accountId: 1,
    name: `Mac ${rentalId}`,
    orderNo: null,
    slotId: `slot_${rentalId}`,
    hostId: 'host_1',
    labels: {},
    tier: 'm4',
    xcode: null,
    runtimes: [],
    tools: [],
    state: 'ready',
    generation: 1,
    revision: 1,
    hours: 720,
    amountWon: 0,
    granted: null,
    awaySince: null,
    endRequestedAt: null,
    hostLastSeenAt: null,
    hostRemovedAt: null,
    startsAt: NOW - HOUR,
    readyAt: NOW - HOUR,
    endsAt: NOW + 719 * HOUR,
    endedAt: null,
    usableUntil: given.endsAt ?? NOW + 719 * HOUR,
    buildId: null,
    preparingSince: null,
    prepareFailed: false,
    making: null,
    repairing: false,
    repairs: 0,
    repairAt: null,
    createdAt: NOW - HOUR,
    hostTakesBuilds: true,
    xcodeVersions: ['16.2', '16.1'],
    tierRuntimes: [],
    tierTools: [],
    image: null,
    imageDigest: null,
    madeFrom: null,
    onNewMac: { xcodeVersions: ['16.2', '16.1'], defaultXcode: '16.2', runtimes: [], tools: [] },
    tierSpec: m4.spec,
    openJob: null,
    priceWon: 10_000,
    maxDays: 30,
    ...given,
  };
}

/** Returns a build of one hour that any Mac can run, created `seq` ms ago or later. */
export function waiting(buildId: string, seq: number, given: Partial<QueuedBuild> = {}): QueuedBuild {
  return {
    buildId,
    seq,
    keyId: 'key_1',
    priority: 0,
    requeued: false,
    createdAt: NOW - 1000 + seq,
    pinnedRentalId: null,
    xcode: null,
    labels: {},
    timeoutMin: 60,
    ...given,
  };
}
