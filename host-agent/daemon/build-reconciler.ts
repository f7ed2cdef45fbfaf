// Reconciles the builds of this host with the desire of the control plane.
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { BuildFact, BuildResult, ControlMessage, DesiredBuild, StopReason } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import type { DaemonLimits } from '../limits.js';
import { createBuildStarter } from './build-starter.js';
import { type Journal, stopsOf } from './journal.js';
import { refKey } from './link/ref-key.js';
import type { MacReconciler } from './macs/mac-reconciler.js';
import { type BuildAction, buildActions, buildDesireOf } from './reconcile-actions.js';
import type { BuildSupervisor } from './supervisor.js';

export type Desire = Extract<ControlMessage, { type: 'desire' }>;

export interface BuildReconcilerDeps {
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
}

export function createBuildReconciler(deps: BuildReconcilerDeps) {
  const { builds, macs, journal, clock, limits, log } = deps;
  let wanted = new Map<string, DesiredBuild>();
  /** The control plane has sent a desire since this daemon started. */
  let live = false;
  const stopped = new Set<string>();
  let closed = false;
  const journalWriter = createJournalWriter(deps);

  const reconcile = () => {
    if (closed) return;
    const facts = new Map(builds.facts().map((fact) => [refKey(fact), fact]));
    const refs = new Map<string, AttemptRef>([...wanted, ...facts]);
    for (const { build_id, attempt } of refs.values()) {
      const ref = { build_id, attempt };
      try {
        reconcileBuild(ref, facts.get(refKey(ref)));
      } catch (error) {
        // An error of one build must not affect the others.
        log.error({ err: error, ...ref }, 'cannot reconcile a build');
      }
    }
  };
  const starter = createBuildStarter({
    builds,
    slotBusy: macs.busy,
    changed: reconcile,
    clock,
    limits,
    log,
  });

  const reconcileBuild = (ref: AttemptRef, fact: BuildFact | undefined) => {
    const desired = wanted.get(refKey(ref));
    const failure = starter.failureOf(ref);
    const actual = failure ? 'finished' : starter.isStarting(ref) ? 'starting' : (fact?.state ?? 'absent');
    const action = buildActions[buildDesireOf(desired, live)][actual];
    // Once the build runs, neither is needed: secrets are kept no longer than necessary.
    if (desired && (actual === 'running' || actual === 'finished')) {
      wanted.set(refKey(ref), { ...desired, spec: null, secrets: null });
    }
    carryOut(action, { ref, desired, result: failure ?? builds.result(ref) }, deps, {
      start: starter.start,
      stop,
    });
  };

  const stop = (ref: AttemptRef, reason: StopReason) => {
    const key = refKey(ref);
    if (stopped.has(key) || starter.isStarting(ref)) return;
    log.info({ ...ref, reason }, 'stopping a build');
    builds.stop(ref, reason);
    stopped.add(key);
  };

  const replace = (desired: readonly DesiredBuild[]) => {
    live = true;
    wanted = new Map(desired.map((build) => [refKey(build), build]));
  };

  return {
    /** Continues with the desire in the journal. */
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
    /**
     * Replaces the desire, reconciles, writes the journal and acknowledges.
     *
     * @param whole false: what it does not name stays as it is
     */
    desire(desire: Desire, whole = true) {
      if (whole) replace(desire.builds);
      else for (const build of desire.builds) wanted.set(refKey(build), build);
      macs.want(desire.macs, whole);
      reconcile();
      journalWriter.write(desire);
      deps.acknowledge(desire.sequence);
    },
    /** To be called when builds or Macs have changed. */
    reconcile,
    /** This host has been removed from the service: its builds are stopped, its Macs stay. */
    removed() {
      replace([]);
      reconcile();
    },
    /** True while a build is being started in this slot. */
    startsIn: starter.startsIn,
    /** To be called when an attempt has been deleted from this host. */
    gone(ref: AttemptRef) {
      wanted.delete(refKey(ref));
      stopped.delete(refKey(ref));
      starter.forget(ref);
      reconcile();
    },
    close() {
      closed = true;
      starter.close();
      journalWriter.close();
      wanted.clear();
    },
  };
}

/** Carries out one action of the table `buildActions`. */
function carryOut(
  action: BuildAction,
  { ref, desired, result }: { ref: AttemptRef; desired: DesiredBuild | undefined; result: BuildResult | null },
  deps: BuildReconcilerDeps,
  { start, stop }: { start: (build: DesiredBuild) => void; stop: (ref: AttemptRef, reason: StopReason) => void },
): void {
  switch (action) {
    case 'nothing':
      break;
    case 'start':
      if (desired) start(desired);
      break;
    case 'stop':
      stop(ref, desired?.stop_reason ?? 'superseded');
      break;
    case 'supersede':
      stop(ref, 'superseded');
      break;
    case 'report_absent':
      deps.reportAbsent({ ...ref, state: 'absent', log_bytes: 0, last_output_at: null });
      break;
    case 'deliver':
      if (!result) break;
      deps.deliver(ref, result);
      if (desired?.want === 'stop') deps.stopDelivery(ref, desired.stop_reason ?? 'superseded');
  }
}

/**
 * Writes the desire to the journal; retries when the disk is full. The desire is followed and acknowledged even so,
 * because otherwise nothing could be stopped; the control plane sends it again on the next connection.
 */
function createJournalWriter({ journal, clock, limits, log }: BuildReconcilerDeps) {
  let retry: Timer | null = null;
  const write = (desire: Desire) => {
    retry?.cancel();
    retry = null;
    try {
      journal.write({ stops: stopsOf(desire.builds), macs: desire.macs });
    } catch (error) {
      log.error({ err: error }, 'cannot write the journal');
      retry = clock.setTimeout(() => write(desire), limits().retryBaseMs);
    }
  };
  return { write, close: () => retry?.cancel() };
}
