// A rental: one Mac of one account for a bought time. Times in ms since the epoch.
import type { Job } from './job.js';

export type RentalState =
  | 'reserved'
  | 'preparing'
  | 'ready'
  | 'building'
  | 'resetting'
  | 'updating'
  | 'ended';

/** What can happen to a rental. begin: its reservation starts. prepared: its host has it ready. */
export type RentalEvent = 'begin' | 'prepared' | 'assign' | 'release' | 'reset' | 'update' | 'lost' | 'end';

const nowhere: Readonly<Record<RentalEvent, null>> = {
  begin: null,
  prepared: null,
  reset: null,
  update: null,
  assign: null,
  release: null,
  lost: null,
  end: null,
};

/** Where each event leads from each state; null: it cannot happen there. */
export const rentalTransitions: Readonly<
  Record<RentalState, Readonly<Record<RentalEvent, RentalState | null>>>
> = {
  reserved: { ...nowhere, begin: 'preparing', end: 'ended' },
  preparing: { ...nowhere, prepared: 'ready', end: 'ended' },
  // lost: the host no longer has the Mac and makes it anew.
  ready: {
    ...nowhere,
    assign: 'building',
    reset: 'resetting',
    update: 'updating',
    lost: 'preparing',
    end: 'ended',
  },
  building: { ...nowhere, release: 'ready', lost: 'preparing', end: 'ended' },
  resetting: { ...nowhere, prepared: 'ready', lost: 'preparing', end: 'ended' },
  updating: { ...nowhere, prepared: 'ready', lost: 'preparing', end: 'ended' },
  ended: nowhere,
};

export interface Rental {
  readonly rentalId: string;
  readonly accountId: number;
  /** The order that created it; null: an operator has given it. */
  readonly orderNo: string | null;
  readonly slotId: string;
  readonly tier: string;
  readonly xcode: string | null;
  /** Simulator runtimes and tools that were asked for, besides what the Mac came with. */
  readonly runtimes: readonly string[];
  readonly tools: readonly string[];
  readonly state: RentalState;
  /** Raised by everything that makes the Mac anew. */
  readonly generation: number;
  /** Raised by every change of the Mac. */
  readonly revision: number;
  /** Bought time. */
  readonly hours: number;
  /** Begin of the bought time; provisional until the Mac was ready for the first time. */
  readonly startsAt: number;
  readonly readyAt: number | null;
  /** End of the bought time; provisional until the Mac was ready for the first time. */
  readonly endsAt: number;
  readonly endedAt: number | null;
  /** The build that runs on it. */
  readonly buildId: string | null;
  /** Since when its present host makes the Mac, or made it last. */
  readonly preparingSince: number | null;
  /** Its host has given up making it. */
  readonly prepareFailed: boolean;
  /** Being made again because a build could not be prepared on it. */
  readonly repairing: boolean;
  /** Repairs in a row since a build could be prepared on it. */
  readonly repairs: number;
  readonly createdAt: number;
}

export type OpenJob = Pick<Job, 'jobId' | 'kind' | 'target' | 'revision' | 'progress'> & {
  readonly status: Extract<Job['status'], 'queued' | 'running'>;
};

/** A rental that has not ended, with what its tier, slot and host say of it. */
export interface Mac extends Rental {
  readonly state: Exclude<RentalState, 'ended'>;
  readonly hostId: string;
  /** The host is connected and takes builds. */
  readonly hostTakesBuilds: boolean;
  /** What can be selected on the tier. */
  readonly xcodeVersions: readonly string[];
  readonly tierRuntimes: readonly string[];
  readonly tierTools: readonly string[];
  /** What the host makes the Mac of. */
  readonly image: string | null;
  /** Its job that is queued or running; there is one at most. */
  readonly openJob: OpenJob | null;
  /** Price of 24 hours. */
  readonly priceWon: number;
  /** Longest bought time of one rental of the tier, in days. */
  readonly maxDays: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Whole seconds of bought time that are left; a Mac that was never ready has all of it. */
export function remainingSeconds(rental: Rental, now: number): number {
  const left = rental.readyAt === null ? rental.hours * HOUR_MS : rental.endsAt - now;
  return Math.max(0, Math.floor(left / 1000));
}

/** A Mac that exists or is being made; a reserved one does not yet. */
export function isActive(rental: Pick<Rental, 'state'>): boolean {
  return rental.state !== 'reserved' && rental.state !== 'ended';
}
