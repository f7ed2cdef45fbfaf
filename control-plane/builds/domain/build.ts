// A build and its status transitions.
import type { BuildStep, StepTime, StopReason } from '../../../shared/build.js';
import { type Message, uncoded } from '../../../shared/messages/message.js';
import type { Labels } from '../../hosts/domain/host-labels.js';
import { bool, int, json, type RecordOf, text } from '../../platform/domain/fields.js';
import { storedMessage, storedMessages } from '../../platform/domain/stored-message.js';
import type { CommitState } from './commit-state.js';

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

/** Events that change a build's status. */
export const buildEvents = ['assign', 'succeed', 'fail', 'cancel', 'expire', 'move', 'requeue', 'prioritize'] as const;
export type BuildEvent = (typeof buildEvents)[number];

const nothing: Readonly<Record<BuildEvent, null>> = {
  assign: null,
  succeed: null,
  fail: null,
  cancel: null,
  expire: null,
  move: null,
  requeue: null,
  prioritize: null,
};

/** The status that each event leads to from each status; null: not allowed. */
export const buildTransitions: Readonly<Record<BuildStatus, Readonly<Record<BuildEvent, BuildStatus | null>>>> = {
  queued: {
    ...nothing,
    assign: 'running',
    cancel: 'cancelled',
    expire: 'expired',
    prioritize: 'queued',
  },
  running: {
    ...nothing,
    succeed: 'succeeded',
    fail: 'failed',
    cancel: 'cancelled',
    // The rental of its Mac ends: move to a free Mac, or back to the head of the queue.
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
  /** Both as messages; missing in rows of older versions. */
  readonly messages?: { readonly summary: Message; readonly suggestion: Message };
  /** First and last line of the log that show the cause, from 1. */
  readonly logExcerptLines: readonly [number, number] | null;
  readonly location: { readonly file: string; readonly line: number; readonly message: string } | null;
}

/** Characters of a script that a list of builds shows. */
export const EXCERPT_CHARS = 500;

/** Times in ms since the epoch. */
export const buildFields = {
  buildId: text(),
  /** Increases with each new build, over all accounts. */
  seq: int().assigned,
  accountId: int(),
  workspaceId: text(),
  keyId: text().orNull,
  status: text<BuildStatus>().initially('queued'),
  /** Id of its script, which is stored once for all builds of the account with the same script. */
  scriptId: int(),
  /** The first characters of the script. */
  scriptExcerpt: text(),
  scriptBytes: int(),
  uploadId: text().orNull,
  /** Of the upload; kept when the upload is deleted. */
  project: text().orNull.initially(null),
  repo: text().orNull,
  repoUrl: text().orNull,
  ref: text().orNull,
  /** As requested; may be abbreviated. */
  commit: text().orNull,
  /** The commit checked out for the current attempt; null before the checkout and for an upload. */
  commitSha: text().orNull.initially(null),
  /** The first line of its message, and the name of its author. */
  commitTitle: text().orNull.initially(null),
  commitAuthor: text().orNull.initially(null),
  /** The steps that the current attempt has entered, by the host's clock. */
  steps: json<readonly StepTime[]>().initially([]),
  pr: int().orNull,
  xcode: text().orNull,
  /** It runs only on Macs of hosts that have all of these. */
  labels: json<Labels>().initially({}),
  pinnedRentalId: text().orNull,
  /** The Mac that it runs or ran on. */
  rentalId: text().orNull.initially(null),
  hostId: text().orNull.initially(null),
  timeoutMin: int(),
  priority: int(),
  cleanTree: bool(),
  queueUntilRental: bool(),
  notifyUrl: text().orNull,
  /** The build that it repeats; it may have been deleted since. */
  rerunOf: text().orNull.initially(null),
  /** Number of the current attempt, from 1. */
  attempt: int().initially(1),
  /** Requeued because the rental of its Mac ended or the Mac could not be prepared. */
  requeued: bool().initially(false),
  /** Its Mac could not be prepared, so it was requeued; this happens at most once. */
  startRetried: bool().initially(false),
  /** When it was requeued. */
  requeuedAt: int().orNull.initially(null),
  stopReason: text<StopReason>().orNull.initially(null),
  stopRequestedAt: int().orNull.initially(null),
  /** The host has reported this attempt. */
  reported: bool().initially(false),
  createdAt: int(),
  startedAt: int().orNull.initially(null),
  attemptStartedAt: int().orNull.initially(null),
  deadlineAt: int().orNull.initially(null),
  lastOutputAt: int().orNull.initially(null),
  endedAt: int().orNull.initially(null),
  exitCode: int().orNull.initially(null),
  endReason: text<EndReason>().orNull.initially(null),
  failure: json<BuildFailure>().orNull.initially(null),
  warnings: storedMessages().initially([]),
  /** When retention deleted the log; null if the log exists. */
  logDeletedAt: int().orNull.initially(null),
  /** Where the current attempt's log begins in the build's log, in bytes. */
  logBase: int().initially(0),
  /** Maximum size of the log, bytes; null before the build starts and after the log is counted. */
  logLimit: int().orNull.initially(null),
  /** The number of its newest event. */
  eventSequence: int().initially(1),
  /** The last commit status sent to the code host; null: none yet. */
  commitState: text<CommitState>().orNull.initially(null),
  /** Why the last commit status could not be sent. */
  commitStateMessage: storedMessage().orNull.initially(null),
  /** The same as text, in rows of older versions. */
  commitStateError: text().orNull.initially(null),
};
export type Build = RecordOf<typeof buildFields>;

/** A build with its whole script. */
export interface ScriptedBuild extends Build {
  readonly script: string;
}

/** The fields of a build that decide which code host and receivers are notified. */
export const toldFields = [
  ...(['buildId', 'accountId', 'repo', 'repoUrl', 'commit', 'commitSha', 'notifyUrl', 'failure'] as const),
];
export type ToldBuild = Pick<Build, (typeof toldFields)[number]>;

/** Why the commit status could not be written. */
export const commitErrorOf = ({
  commitStateMessage,
  commitStateError,
}: Pick<Build, 'commitStateMessage' | 'commitStateError'>): Message | null =>
  commitStateMessage ?? (commitStateError === null ? null : uncoded(commitStateError));
