// Starts the builds that the control plane wants, with retries; after the last retry the build fails on this host.

import { createHash } from 'node:crypto';
import { backoffMs } from '../../shared/backoff.js';
import { summaryFields } from '../../shared/build.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { failureCauses } from '../../shared/messages/failure-causes.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { withTexts } from '../../shared/messages/message.js';
import type { BuildResult, DesiredBuild } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../contract/attempt-folder.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { DaemonLimits } from '../limits.js';
import { refKey } from './link/ref-key.js';
import type { BuildSupervisor } from './supervisor.js';

/**
 * @param deps.slotBusy true while the Mac in the slot is being changed
 * @param deps.changed called when a build has started or failed to start, and when a retry is due
 */
export function createBuildStarter(deps: {
  builds: BuildSupervisor;
  slotBusy: (slotId: string) => boolean;
  changed: () => void;
  clock: Clock;
  limits: () => DaemonLimits;
  log: Log;
}) {
  const { builds, slotBusy, changed, clock, limits, log } = deps;
  /** Slot of every attempt that is being started. */
  const starting = new Map<string, string>();
  const failedStarts = new Map<string, number>();
  const retries = new Map<string, Timer>();
  const failures = new Map<string, BuildResult>();

  /** Whether another attempt still runs in the slot. */
  const isOccupied = (slotId: string, key: string): boolean =>
    [...starting].some(([other, slot]) => slot === slotId && other !== key) ||
    builds.facts().some((fact) => fact.state !== 'finished' && builds.slotOf(fact) === slotId && refKey(fact) !== key);

  const onError = (build: DesiredBuild, error: unknown) => {
    const key = refKey(build);
    const attempt = (failedStarts.get(key) ?? 0) + 1;
    failedStarts.set(key, attempt);
    log.error({ err: error, build_id: build.build_id, attempt }, 'cannot start a build');
    if (attempt >= limits().startAttempts) failures.set(key, startFailure(error, clock.now()));
    const { retryBaseMs: baseMs, retryMaxMs: maxMs } = limits();
    const retry = () => {
      retries.delete(key);
      changed();
    };
    retries.set(key, clock.setTimeout(retry, backoffMs(attempt, { baseMs, maxMs })));
  };

  const start = async (build: DesiredBuild) => {
    const { spec, secrets } = build;
    const key = refKey(build);
    if (!spec || !secrets || starting.has(key) || retries.has(key) || slotBusy(spec.slot_id)) return;
    if (isOccupied(spec.slot_id, key)) return;
    starting.set(key, spec.slot_id);
    try {
      await builds.start(spec, secrets);
      failedStarts.delete(key);
    } catch (error) {
      onError(build, error);
    } finally {
      starting.delete(key);
    }
    changed();
  };

  return {
    /** Starts the build unless it is being started, waits for a retry, or its slot is in use. */
    start: (build: DesiredBuild) => void start(build),
    isStarting: (ref: AttemptRef) => starting.has(refKey(ref)),
    /** True while a build is being started in this slot. */
    startsIn: (slotId: string) => [...starting.values()].includes(slotId),
    /** Returns the result of a build that could not be started, otherwise null. */
    failureOf: (ref: AttemptRef) => failures.get(refKey(ref)) ?? null,
    /** Drops everything known about the attempt. */
    forget(ref: AttemptRef) {
      const key = refKey(ref);
      failures.delete(key);
      failedStarts.delete(key);
      retries.get(key)?.cancel();
      retries.delete(key);
    },
    close() {
      for (const timer of retries.values()) timer.cancel();
    },
  };
}

/** Returns the result of an attempt that never started: nothing ran, nothing was printed. */
function startFailure(error: unknown, now: number): BuildResult {
  const known =
    error instanceof BuildStepError
      ? error
      : new BuildStepError('prepare', 'internal_error', 'platform', hostFailure('host_could_not_start'));
  const noLog = { bytes: 0, sha256: createHash('sha256').digest('hex') };
  return {
    outcome: 'failed',
    exit_code: null,
    stop_reason: null,
    step: known.step,
    reason_code: known.reasonCode,
    fault: known.fault,
    ...summaryFields(withTexts(failureCauses, known.said, (text) => text.slice(0, 600))),
    script_started_at: null,
    ended_at: now,
    log: { ...noLog, omitted_bytes: 0, possibly_truncated: false },
    artifacts: [],
    warnings: [],
  };
}
