// What the daemon keeps in memory about one attempt, and how that changes.
import type { CommitAbout } from '../../shared/build.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type {
  BuildFact,
  BuildResult,
  BuildSpec,
  ServiceBytes,
  StepTime,
  StopReason,
} from '../../shared/protocol/index.js';
import { type AttemptRef, attemptName } from '../contract/attempt-folder.js';
import type { AttemptEnd } from '../contract/signed-result.js';
import type { MacDriver } from '../driver/driver.js';
import type { BuildLimits } from '../limits.js';
import type { BuildsFolder } from './builds-folder.js';
import type { ControlAddresses } from './control-address.js';
import type { DaemonChannel } from './handover.js';
import type { WarmPool } from './warm-pool.js';

export interface BuildEvents {
  /** The state or the last activity of an attempt changed. */
  onFact(fact: BuildFact): void;
  /** The masked log has grown to `logBytes` bytes. */
  onOutput(ref: AttemptRef, logBytes: number): void;
  onFinished(ref: AttemptRef, result: BuildResult): void;
}

export interface TrackedBuild {
  readonly ref: AttemptRef;
  readonly spec: BuildSpec;
  state: 'starting' | 'running' | 'finished';
  logBytes: number;
  /** As its process reports it. */
  lastOutputAt: number | null;
  /** The same by the daemon's monotonic clock. */
  heardAt: number | null;
  commitSha: string | null;
  commitAbout: CommitAbout | null;
  steps: readonly StepTime[];
  /** Byte ranges of the service's lines in the first `logBytes` of the log, in order; they may extend beyond those. */
  service: readonly ServiceBytes[];
  result: BuildResult | null;
  channel: DaemonChannel | null;
  stop: StopReason | null;
  /** Fires when a stop is overdue. */
  stopTimer: Timer | null;
  /** Consecutive failures to settle the build. */
  settleFailures: number;
  /** Its process stopped answering. */
  hung: boolean;
  /** Boot id of the machine when the build was started. */
  boot: string;
  /** Verifies the result. Null until it is known, and for a build that an older version started. */
  resultKey: string | null;
  /** Resolves when a process owns the attempt. */
  owned: Promise<void>;
}

/** The state that the parts of one supervisor share. */
export interface Supervision {
  readonly driver: MacDriver;
  readonly disk: BuildsFolder;
  readonly addresses: ControlAddresses;
  readonly warmPool: WarmPool;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: BuildEvents;
  readonly limits: () => BuildLimits;
  /** Boot id of the machine now. */
  readonly boot: Promise<string>;
  readonly builds: Map<string, TrackedBuild>;
  closing: boolean;
}

/** Adds an attempt in the state `starting`. */
export function trackBuild({ builds }: Supervision, spec: BuildSpec, boot: string): TrackedBuild {
  const { build_id, attempt } = spec;
  const build: TrackedBuild = {
    ref: { build_id, attempt },
    spec,
    state: 'starting',
    logBytes: 0,
    lastOutputAt: null,
    heardAt: null,
    commitSha: null,
    commitAbout: null,
    steps: [],
    service: [],
    result: null,
    channel: null,
    stop: null,
    stopTimer: null,
    settleFailures: 0,
    hung: false,
    boot,
    resultKey: null,
    owned: Promise.resolve(),
  };
  builds.set(attemptName(spec), build);
  return build;
}

/** Notes how long the build had been silent when its process said so. */
export function noteSilence(
  { clock }: Supervision,
  build: TrackedBuild,
  { silent_ms: silentMs }: { silent_ms?: number | null | undefined },
): void {
  build.heardAt = silentMs === undefined || silentMs === null ? null : clock.monotonic() - silentMs;
}

/** Returns how long ago the build printed last, ms; null if it has not, or its process does not say. */
export function silentMs({ clock }: Pick<Supervision, 'clock'>, build: TrackedBuild): number | null {
  return build.heardAt === null ? null : clock.monotonic() - build.heardAt;
}

export function factOf(supervision: Pick<Supervision, 'clock'>, build: TrackedBuild): BuildFact {
  const silent = silentMs(supervision, build);
  return {
    ...build.ref,
    state: build.state,
    log_bytes: build.logBytes,
    last_output_at: build.lastOutputAt,
    // Null would say that nothing was printed.
    ...(silent === null && build.lastOutputAt !== null ? {} : { silent_ms: silent }),
    commit_sha: build.commitSha,
    commit_about: build.commitAbout,
    steps: [...build.steps],
  };
}

/** Notes the length of the log, which never shrinks. */
export function logGrew({ events }: Supervision, build: TrackedBuild, logBytes: number): void {
  if (logBytes <= build.logBytes) return;
  build.logBytes = logBytes;
  events.onOutput(build.ref, logBytes);
}

/** Notes the result of a build; a second result is ignored. */
export function finishBuild(supervision: Supervision, build: TrackedBuild, { result, service }: AttemptEnd): void {
  if (build.state === 'finished') return;
  build.channel?.destroy();
  build.channel = null;
  build.stopTimer?.cancel();
  build.state = 'finished';
  build.result = result;
  build.commitSha = result.commit_sha ?? build.commitSha;
  build.commitAbout = result.commit_about ?? build.commitAbout;
  build.steps = result.steps ?? build.steps;
  build.service = service ?? build.service;
  logGrew(supervision, build, result.log.bytes);
  supervision.events.onFact(factOf(supervision, build));
  supervision.events.onFinished(build.ref, result);
  supervision.warmPool.refillAfterBuild();
}
