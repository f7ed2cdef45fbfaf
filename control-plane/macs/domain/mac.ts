// A Mac: the machine in a slot that one account uses, from the promise of the slot until it is taken away. What was
// agreed about it, its rental, stands in renting/. Times in ms since the epoch.
import type { Job } from './job.js';

export type MacState = 'reserved' | 'preparing' | 'ready' | 'building' | 'resetting' | 'updating' | 'ended';

/** What can happen to a Mac. begin: its reservation starts. prepared: its host has it ready. end: it is taken away. */
export type MacEvent = 'begin' | 'prepared' | 'assign' | 'release' | 'reset' | 'update' | 'lost' | 'end';

const nowhere: Readonly<Record<MacEvent, null>> = {
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
export const macTransitions: Readonly<Record<MacState, Readonly<Record<MacEvent, MacState | null>>>> = {
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

/** What is kept of a Mac. It has the id of its rental. */
export interface Machine {
  readonly rentalId: string;
  readonly accountId: number;
  readonly slotId: string;
  readonly tier: string;
  readonly xcode: string | null;
  /** Simulator runtimes and tools that were asked for, besides what the Mac came with. */
  readonly runtimes: readonly string[];
  readonly tools: readonly string[];
  readonly state: MacState;
  /** Raised by everything that makes the Mac anew. */
  readonly generation: number;
  /** Raised by every change of the Mac. */
  readonly revision: number;
  /** Until when builds may begin on it; does not count before it was ready, nor while it is away. */
  readonly usableUntil: number;
  /** When it was ready for the first time. */
  readonly readyAt: number | null;
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
  /** Since when the platform keeps a Mac that was ready once from its customer. */
  readonly awaySince: number | null;
  readonly createdAt: number;
}

export type OpenJob = Pick<Job, 'jobId' | 'kind' | 'target' | 'revision' | 'progress'> & {
  readonly status: Extract<Job['status'], 'queued' | 'running'>;
};

/** A Mac that is not taken away, with what its tier, slot and host say of it. */
export interface Mac extends Machine {
  readonly state: Exclude<MacState, 'ended'>;
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
}

/** Since when a Mac is kept away that its host begins to make anew at `now`; null: it was never ready. */
export function awayFrom(mac: Pick<Machine, 'readyAt' | 'awaySince'>, now: number): number | null {
  return mac.readyAt === null ? null : (mac.awaySince ?? now);
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
export function isActive({ state }: Pick<Machine, 'state'>): boolean {
  return state !== 'reserved' && state !== 'ended';
}
