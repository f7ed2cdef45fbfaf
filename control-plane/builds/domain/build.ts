// A build: what it is, and from which status it may go to which.
import type { BuildStep, StopReason } from '../../../shared/build.js';
import type { CommitStatus } from './commit-state.js';

export const buildStatuses = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'] as const;
export type BuildStatus = (typeof buildStatuses)[number];

export const endReasons = [
  'succeeded',
  'exit_nonzero',
  'timeout',
  'platform_error',
  'cancelled_by_user',
  'rental_ended',
  'queue_timeout',
  'pinned_mac_ended',
  'no_mac_left',
] as const;
export type EndReason = (typeof endReasons)[number];

export const waitReasons = [
  'mac_busy',
  'mac_preparing',
  'mac_in_maintenance',
  'pinned_mac_busy',
  'xcode_unavailable',
  'waiting_for_rental',
  'concurrency_limit',
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** What can happen to a build's status. */
export const buildEvents = [
  'assign',
  'succeed',
  'fail',
  'cancel',
  'expire',
  'move',
  'requeue',
  'prioritise',
] as const;
export type BuildEvent = (typeof buildEvents)[number];

const nothing: Readonly<Record<BuildEvent, null>> = {
  assign: null,
  succeed: null,
  fail: null,
  cancel: null,
  expire: null,
  move: null,
  requeue: null,
  prioritise: null,
};

/** Where each event leads from each status; null: it cannot happen there. */
export const buildTransitions: Readonly<
  Record<BuildStatus, Readonly<Record<BuildEvent, BuildStatus | null>>>
> = {
  queued: {
    ...nothing,
    assign: 'running',
    cancel: 'cancelled',
    expire: 'expired',
    prioritise: 'queued',
  },
  running: {
    ...nothing,
    succeed: 'succeeded',
    fail: 'failed',
    cancel: 'cancelled',
    // The rental of its Mac ends: to a Mac that is free now, or back to the head of the queue.
    move: 'running',
    requeue: 'queued',
  },
  succeeded: nothing,
  failed: nothing,
  expired: nothing,
  cancelled: nothing,
};

export function hasEnded(status: BuildStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

export type FailureFault = 'customer' | 'platform' | 'unknown';

export interface BuildFailure {
  readonly fault: FailureFault;
  readonly step: BuildStep;
  /** At most 600 characters, masked, without control characters. */
  readonly summary: string;
  readonly reasonCode: string;
  readonly suggestion: string;
  /** First and last line of the log that explain it, counted from 1. */
  readonly logExcerptLines: readonly [number, number] | null;
  readonly location: { readonly file: string; readonly line: number; readonly message: string } | null;
}

/** Times in ms since the epoch. */
export interface Build {
  readonly buildId: string;
  /** Rises with creation, over all accounts. */
  readonly seq: number;
  readonly accountId: number;
  readonly workspaceId: string;
  readonly keyId: string | null;
  readonly status: BuildStatus;
  readonly script: string;
  readonly uploadId: string | null;
  readonly repo: string | null;
  readonly repoUrl: string | null;
  readonly ref: string | null;
  /** As it was asked for, perhaps short. */
  readonly commit: string | null;
  /** The commit that its host checked out for the present attempt; null before that, and for an upload. */
  readonly commitSha: string | null;
  readonly pr: number | null;
  readonly xcode: string | null;
  readonly pinnedRentalId: string | null;
  /** The Mac it runs or ran on. */
  readonly rentalId: string | null;
  readonly hostId: string | null;
  readonly timeoutMin: number;
  readonly priority: number;
  readonly cleanTree: boolean;
  readonly queueUntilRental: boolean;
  readonly notifyUrl: string | null;
  /** Counts the Macs that it was given to, from 1. */
  readonly attempt: number;
  /** Waits again because the rental of its Mac ended, or its Mac could not be prepared. */
  readonly requeued: boolean;
  /** Its Mac could not be prepared, so it has waited for a Mac once more; that happens once. */
  readonly startRetried: boolean;
  /** When it began to wait again. */
  readonly requeuedAt: number | null;
  readonly stopReason: StopReason | null;
  readonly stopRequestedAt: number | null;
  /** The host has said that it has this attempt. */
  readonly reported: boolean;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly attemptStartedAt: number | null;
  readonly deadlineAt: number | null;
  readonly lastOutputAt: number | null;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly endReason: EndReason | null;
  readonly failure: BuildFailure | null;
  readonly warnings: readonly string[];
  /** Where the present attempt's log begins in the build's log, in bytes. */
  readonly logBase: number;
  /** Null: none was to be posted, or none has been yet. */
  readonly commitStatus: CommitStatus | null;
}

/** What of a build decides which code host and which receivers are told of it. */
export type ToldBuild = Pick<
  Build,
  'buildId' | 'accountId' | 'repo' | 'repoUrl' | 'commit' | 'commitSha' | 'notifyUrl' | 'failure'
>;
