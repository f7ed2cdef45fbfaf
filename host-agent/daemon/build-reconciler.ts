// Takes the control plane's desire, and brings the builds of this host to it.
import { createHash } from 'node:crypto';
import { backoffMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type {
  BuildFact,
  BuildResult,
  ControlMessage,
  DesiredBuild,
  StopReason,
} from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { DaemonLimits } from '../limits.js';
import { type Journal, stopsOf } from './journal.js';
import { refKey } from './link/ref-key.js';
import type { MacReconciler } from './macs/mac-reconciler.js';
import { type BuildActual, buildActions, buildDesireOf } from './reconcile-actions.js';
import type { BuildSupervisor } from './supervisor.js';

export type Desire = Extract<ControlMessage, { type: 'desire' }>;

export interface BuildReconciler {
  /** Goes on with what an earlier daemon was told. */
  resume(): void;
  desire(desire: Desire): void;
  /** Builds or Macs have changed. */
  reconcile(): void;
  /** A build is just being given this slot. */
  startsIn(slotId: string): boolean;
  /** This host has been removed: no build of it is wanted any more. Its Macs stay. */
  removed(): void;
  /** An attempt has left this host for good. */
  gone(ref: AttemptRef): void;
  close(): void;
}

export function createBuildReconciler(deps: {
  builds: BuildSupervisor;
  macs: Pick<MacReconciler, 'want' | 'busy'>;
  journal: Journal;
  acknowledge: (sequence: number) => void;
  reportAbsent: (fact: BuildFact) => void;
  deliver: (ref: AttemptRef, result: BuildResult) => void;
  stopDelivery: (ref: AttemptRef, reason: StopReason) => void;
  clock: Clock;
  limits: () => DaemonLimits;
  log: Log;
}): BuildReconciler {
  const { builds, macs, journal, acknowledge, reportAbsent, deliver, stopDelivery, clock, limits, log } =
    deps;
  let wanted = new Map<string, DesiredBuild>();
  let live = false;
  /** Slot of every attempt that is being taken over now. */
  const starting = new Map<string, string>();
  const stopped = new Set<string>();
  const attempts = new Map<string, number>();
  /** Attempts that this host cannot take over; they end here. */
  const refused = new Map<string, BuildResult>();
  const timers = new Map<string, Timer>();
  let closed = false;

  const later = (name: string, ms: number, fn: () => void) => {
    timers.get(name)?.cancel();
    const timer = clock.setTimeout(() => {
      timers.delete(name);
      fn();
    }, ms);
    timers.set(name, timer);
  };

  /** Another attempt still runs there; when it ends, this is looked at again. */
  const occupied = (slotId: string, key: string): boolean =>
    [...starting].some(([other, slot]) => slot === slotId && other !== key) ||
    builds
      .facts()
      .some((fact) => fact.state !== 'finished' && builds.slotOf(fact) === slotId && refKey(fact) !== key);

  const start = async (build: DesiredBuild) => {
    const { spec, secrets } = build;
    const key = refKey(build);
    if (!spec || !secrets || starting.has(key) || timers.has(key) || macs.busy(spec.slot_id)) return;
    if (occupied(spec.slot_id, key)) return;
    starting.set(key, spec.slot_id);
    try {
      await builds.start(spec, secrets);
      attempts.delete(key);
    } catch (error) {
      const attempt = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, attempt);
      log.error({ err: error, build_id: build.build_id, attempt }, 'cannot take over a build');
      if (attempt >= limits().startAttempts) refused.set(key, cannotStart(error, clock.now()));
      const { retryBaseMs: baseMs, retryMaxMs: maxMs } = limits();
      later(key, backoffMs(attempt, { baseMs, maxMs }), reconcile);
    } finally {
      starting.delete(key);
    }
    reconcile();
  };

  const act = (ref: AttemptRef, fact: BuildFact | undefined) => {
    const key = refKey(ref);
    const desired = wanted.get(key);
    const refusal = refused.get(key);
    const actual: BuildActual = refusal
      ? 'finished'
      : starting.has(key)
        ? 'starting'
        : (fact?.state ?? 'absent');
    const action = buildActions[buildDesireOf(desired, live)][actual];
    // What runs needs neither any more, and secrets are kept nowhere longer than they have to be.
    if (desired && (actual === 'running' || actual === 'finished')) {
      wanted.set(key, { ...desired, spec: null, secrets: null });
    }
    switch (action) {
      case 'nothing':
        return;
      case 'start':
        if (desired) void start(desired);
        return;
      case 'stop':
        return stop(ref, desired?.stop_reason ?? 'superseded');
      case 'supersede':
        return stop(ref, 'superseded');
      case 'report_absent':
        return reportAbsent({ ...ref, state: 'absent', log_bytes: 0, last_output_at: null });
      case 'deliver': {
        const result = refusal ?? builds.result(ref);
        if (!result) return;
        deliver(ref, result);
        if (desired?.want === 'stop') stopDelivery(ref, desired.stop_reason ?? 'superseded');
      }
    }
  };

  const stop = (ref: AttemptRef, reason: NonNullable<DesiredBuild['stop_reason']>) => {
    const key = refKey(ref);
    if (stopped.has(key) || starting.has(key)) return;
    log.info({ ...ref, reason }, 'stopping a build');
    builds.stop(ref, reason);
    stopped.add(key);
  };

  const reconcile = () => {
    if (closed) return;
    const facts = new Map(builds.facts().map((fact) => [refKey(fact), fact]));
    const refs = new Map<string, AttemptRef>([...wanted, ...facts]);
    for (const { build_id, attempt } of refs.values()) {
      const ref = { build_id, attempt };
      try {
        act(ref, facts.get(refKey(ref)));
      } catch (error) {
        // One build's trouble is not another's.
        log.error({ err: error, ...ref }, 'cannot do what should be done about a build');
      }
    }
  };

  /**
   * On a disk that is full a desire is followed all the same, or nothing could be stopped any more. What the journal
   * lacks then, the control plane says again when it is next connected.
   */
  const write = (desire: Desire) => {
    try {
      journal.write({ stops: stopsOf(desire.builds), macs: desire.macs });
      timers.get('journal')?.cancel();
      timers.delete('journal');
    } catch (error) {
      log.error({ err: error }, 'cannot write the journal');
      later('journal', limits().retryBaseMs, () => write(desire));
    }
  };

  return {
    resume() {
      const { stops, macs: wantedMacs } = journal.read();
      for (const { build_id, attempt, reason } of stops) {
        const want = 'stop' as const;
        const ref = { build_id, attempt };
        wanted.set(refKey(ref), { ...ref, want, stop_reason: reason, spec: null, secrets: null });
      }
      macs.want(wantedMacs, false);
      reconcile();
    },
    desire(desire) {
      live = true;
      wanted = new Map(desire.builds.map((build) => [refKey(build), build]));
      macs.want(desire.macs, true);
      reconcile();
      write(desire);
      acknowledge(desire.sequence);
    },
    reconcile,
    removed() {
      live = true;
      wanted = new Map();
      reconcile();
    },
    startsIn: (slotId) => [...starting.values()].includes(slotId),
    gone(ref) {
      const key = refKey(ref);
      wanted.delete(key);
      refused.delete(key);
      stopped.delete(key);
      attempts.delete(key);
      timers.get(key)?.cancel();
      timers.delete(key);
      reconcile();
    },
    close() {
      closed = true;
      for (const timer of timers.values()) timer.cancel();
      wanted.clear();
    },
  };
}

/** The end of an attempt that never began: nothing has run, nothing was printed. */
function cannotStart(error: unknown, now: number): BuildResult {
  const known =
    error instanceof BuildStepError
      ? error
      : new BuildStepError('prepare', 'internal_error', 'platform', 'The host could not start the build.');
  return {
    outcome: 'failed',
    exit_code: null,
    stop_reason: null,
    step: known.step,
    reason_code: known.reasonCode,
    fault: known.fault,
    summary: known.message.slice(0, 600),
    script_started_at: null,
    ended_at: now,
    log: {
      bytes: 0,
      sha256: createHash('sha256').digest('hex'),
      omitted_bytes: 0,
      possibly_truncated: false,
    },
    artifacts: [],
    warnings: [],
  };
}
