// A Mac: the machine in a slot that one account uses, from the reservation of the slot until it is removed. Its
// contract, the rental, is in renting/. Times in ms since the epoch.
import type { Labels } from '../../hosts/domain/host-labels.js';
import { bool, int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';
import type { Job } from './job.js';
import { type MacMaking, macMaking } from './making.js';
import type { Tier, TierSpec } from './tier.js';

export const macStates = ['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating', 'ended'] as const;
export type MacState = (typeof macStates)[number];

/** Events of a Mac. begin: its reservation starts. prepared: its host reports it ready. end: it is removed. */
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

/** The state that each event leads to from each state; null: not allowed. */
export const macTransitions: Readonly<Record<MacState, Readonly<Record<MacEvent, MacState | null>>>> = {
  reserved: { ...nowhere, begin: 'preparing', end: 'ended' },
  preparing: { ...nowhere, prepared: 'ready', lost: 'preparing', end: 'ended' },
  // lost: the host no longer has the Mac and recreates it.
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

export const machineFields = {
  rentalId: text(),
  accountId: int(),
  /** What its account calls it (`shared/mac-name.ts`); of those that have not been removed unique in the account. */
  name: text(),
  slotId: text(),
  tier: text(),
  xcode: text().orNull,
  /** Simulator runtimes and tools requested in addition to those of the image. */
  runtimes: strings().initially([]),
  tools: strings().initially([]),
  state: text<MacState>(),
  /** Incremented whenever the Mac is recreated. */
  generation: int().initially(1),
  /** Incremented by every change of the Mac. */
  revision: int().initially(1),
  /** Until when builds may start on it; ignored before it was ready and while it is unavailable. */
  usableUntil: int(),
  /** When it was ready for the first time. */
  readyAt: int().orNull.initially(null),
  /** The build that runs on it. */
  buildId: text().orNull.initially(null),
  /** When its current host last began to create it. */
  preparingSince: int().orNull,
  /** The digest of the image that it was made from, as its host reports it. */
  madeFrom: text().orNull.initially(null),
  /** Its host has reported that it cannot create the Mac. */
  prepareFailed: bool().initially(false),
  /** How far its host is in making or changing it, and why it cannot; null: nothing is known, or it is ready. */
  making: json<MacMaking>(macMaking.parse).orNull.initially(null),
  /** Under repair because a build could not be prepared on it. */
  repairing: bool().initially(false),
  /** Consecutive repairs since a build was last prepared on it. */
  repairs: int().initially(0),
  /** When its next repair begins, if that is delayed. */
  repairAt: int().orNull.initially(null),
  /** Since when a Mac that was ready once is unavailable through the platform's fault. */
  awaySince: int().orNull.initially(null),
  createdAt: int(),
};
/** A Mac as stored. It has the id of its rental. */
export type Machine = RecordOf<typeof machineFields>;

export type OpenJob = Pick<Job, 'jobId' | 'kind' | 'target' | 'revision' | 'progress'> & {
  readonly status: Extract<Job['status'], 'queued' | 'running'>;
};

/** A Mac that has not been removed, joined with its tier, slot and host. */
export interface Mac extends Machine {
  readonly state: Exclude<MacState, 'ended'>;
  readonly hostId: string;
  /** Of its host. */
  readonly labels: Labels;
  /** The host is connected and takes builds. */
  readonly hostTakesBuilds: boolean;
  /** When the host was last connected; null while it is. */
  readonly hostLastSeenAt: number | null;
  readonly hostRemovedAt: number | null;
  /** What can be selected on this Mac; Xcodes: see `selectableXcodes`. */
  readonly xcodeVersions: readonly string[];
  readonly tierRuntimes: readonly string[];
  readonly tierTools: readonly string[];
  /** What can be selected on a new Mac of the tier, and its default. */
  readonly onNewMac: Pick<Tier, 'xcodeVersions' | 'defaultXcode' | 'runtimes' | 'tools'>;
  /** The image that the host creates the Mac from. */
  readonly image: string | null;
  readonly imageDigest: string | null;
  readonly tierSpec: TierSpec;
  /** Its queued or running job, at most one. */
  readonly openJob: OpenJob | null;
}

/** Returns since when a Mac that its host begins to recreate at `now` is unavailable; null if it was never ready. */
export function awayFrom(mac: Pick<Machine, 'readyAt' | 'awaySince'>, now: number): number | null {
  return mac.readyAt === null ? null : (mac.awaySince ?? now);
}

/**
 * Returns since when a Mac of a lost or removed host is unavailable: since the host was last connected, but not before
 * the Mac existed.
 */
export function awaySinceHostWasSeen(
  mac: Pick<Mac, 'readyAt' | 'awaySince' | 'preparingSince' | 'hostLastSeenAt' | 'hostRemovedAt'>,
  now: number,
): number | null {
  const gone = Math.min(mac.hostLastSeenAt ?? now, mac.hostRemovedAt ?? now, now);
  return awayFrom(mac, Math.max(gone, mac.readyAt ?? 0, mac.preparingSince ?? 0));
}

/** Returns whether the Mac exists or is being created, as opposed to reserved. */
export function isActive({ state }: Pick<Machine, 'state'>): boolean {
  return state !== 'reserved' && state !== 'ended';
}
