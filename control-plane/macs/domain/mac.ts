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
  preparing: { ...nowhere, prepared: 'ready', lost: 'preparing', end: 'ended' },
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
  /** Bought time; null: granted by an operator, with no bought time. */
  readonly hours: number | null;
  /** What was paid for it, VAT included. */
  readonly amountWon: number;
  /** By an operator, on any host of the tier or on this host only; null: it was not granted. */
  readonly granted: 'tier' | 'host' | null;
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
  /** Since when the platform keeps a Mac that was ready once from its customer: its time does not run. */
  readonly awaySince: number | null;
  /** It is to end at once. */
  readonly endRequestedAt: number | null;
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
  /** When the host was last connected; null while it is. */
  readonly hostLastSeenAt: number | null;
  readonly hostRemovedAt: number | null;
  /** What can be selected on this Mac, see `selectableXcodes`. */
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

/** The end of a rental that has none: the latest time that a Date can hold. */
export const FOREVER = 8_640_000_000_000_000;

/** `remaining_s` of a rental without end: the largest number that every client can hold. */
export const REMAINING_FOREVER_S = 2 ** 31 - 1;

type Times = Pick<Rental, 'hours' | 'readyAt' | 'endsAt' | 'awaySince'>;

/** The end of a rental whose bought time begins at `startsAt`; a granted one keeps its end. */
export function endFrom({ hours, endsAt }: Pick<Rental, 'hours' | 'endsAt'>, startsAt: number): number {
  return hours === null ? endsAt : startsAt + hours * HOUR_MS;
}

/** The time that is left, ms; bought time runs only from the first `ready`, and not while the Mac is kept away. */
export function timeLeft(rental: Times, now: number): number {
  return endIfReady(rental, now) - now;
}

/** When the rental would end if its Mac were ready now. */
export function endIfReady(rental: Times, now: number): number {
  const { hours, readyAt, endsAt, awaySince } = rental;
  if (hours === null) return endsAt;
  if (readyAt === null) return now + hours * HOUR_MS;
  return awaySince === null ? endsAt : endsAt + (now - awaySince);
}

/** What a rental's row says once its Mac is ready again: what it was kept away is added to its end. */
export function timesWhenBack(rental: Times, now: number): Partial<Pick<Rental, 'awaySince' | 'endsAt'>> {
  return rental.awaySince === null ? {} : { awaySince: null, endsAt: endIfReady(rental, now) };
}

/** Whole seconds that are left. */
export function remainingSeconds(rental: Times, now: number): number {
  if (rental.endsAt === FOREVER) return REMAINING_FOREVER_S;
  return Math.min(REMAINING_FOREVER_S, Math.max(0, Math.floor(timeLeft(rental, now) / 1000)));
}

/** Since when a Mac is kept away that its host begins to make anew at `now`; null: its bought time has not begun. */
export function awayFrom(rental: Pick<Rental, 'readyAt' | 'awaySince'>, now: number): number | null {
  return rental.readyAt === null ? null : (rental.awaySince ?? now);
}

/**
 * Since when a Mac is kept away whose host has been lost or removed: since the host was heard of last, and not since
 * before the Mac was there.
 */
export function awaySinceHostWasSeen(
  mac: Pick<Mac, 'readyAt' | 'awaySince' | 'preparingSince' | 'hostLastSeenAt' | 'hostRemovedAt'>,
  now: number,
): number | null {
  const gone = Math.min(mac.hostLastSeenAt ?? now, mac.hostRemovedAt ?? now, now);
  return awayFrom(mac, Math.max(gone, mac.readyAt ?? 0, mac.preparingSince ?? 0));
}

/** A Mac that exists or is being made; a reserved one does not yet. */
export function isActive(rental: Pick<Rental, 'state'>): boolean {
  return rental.state !== 'reserved' && rental.state !== 'ended';
}
