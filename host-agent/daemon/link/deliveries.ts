// Ended builds on their way to the control plane: artifacts, whole log, then the result, until it is acknowledged.
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import { partWas } from '../../../shared/count.js';
import type { Log } from '../../../shared/log.js';
import type {
  AgentMessage,
  ArtifactReport,
  BuildResult,
  StopReason,
} from '../../../shared/protocol/index.js';
import { firstWarnings } from '../../contract/artifact-warnings.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { BuildSupervisor } from '../supervisor.js';
import { artifactBatches } from './artifact-batches.js';
import type { UploadArtifacts } from './artifact-upload.js';
import type { OutputPump } from './output-pump.js';
import { refKey } from './ref-key.js';

export interface Deliveries {
  /** Begins to deliver an ended build; harmless when it is being delivered. */
  deliver(ref: AttemptRef, result: BuildResult): void;
  /**
   * The build is stopped: what it has not sent of its artifacts after a short time is left out, and a build whose script
   * had ended by itself ends as stopped. Without effect once all artifacts are sent.
   */
  stop(ref: AttemptRef, reason: StopReason): void;
  /** The log of this build may be whole at the other end now; without a build: the link is up. */
  advance(ref?: AttemptRef): void;
  acknowledged(ref: AttemptRef, resendFrom: number | null): void;
  /** The log of this build cannot be read to its end: its end is reported without. */
  logLost(ref: AttemptRef): void;
  close(): void;
}

interface Delivery {
  readonly ref: AttemptRef;
  result: BuildResult;
  artifactsDone: boolean;
  stop: StopReason | null;
  stopTimer: Timer | null;
  /** Ends the sending of artifacts. */
  readonly sending: AbortController;
  /** Reports that were not acknowledged as the last. */
  reports: number;
  timer: Timer | null;
  readonly abort: AbortController;
}

export function createDeliveries(deps: {
  builds: Pick<BuildSupervisor, 'artifactFile' | 'forget'>;
  pump: Pick<OutputPump, 'stored' | 'acknowledged' | 'forget'>;
  upload: UploadArtifacts;
  send: (message: AgentMessage) => boolean;
  /** A build has left this host for good. */
  gone: (ref: AttemptRef) => void;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}): Deliveries {
  const { builds, pump, upload, send, gone, clock, limits, log } = deps;
  const deliveries = new Map<string, Delivery>();

  /** Artifacts that cannot be delivered leave a warning on the build instead of holding it up for ever. */
  const uploadArtifacts = async (d: Delivery) => {
    const { artifacts } = d.result;
    const failures: string[] = [];
    let sent = 0;
    for (const batch of artifactBatches(artifacts, limits())) {
      const outcome = await uploadBatch(d, batch);
      if (outcome === 'stopped' || outcome.kind === 'unwanted') break;
      for (const { name, why } of outcome.failed) {
        log.warn({ ...d.ref, artifact: name, why }, 'artifact not delivered');
        failures.push(`The artifact ${name} could not be stored: ${why}.`);
      }
      sent += batch.length;
    }
    const warnings = [...d.result.warnings, ...firstWarnings(failures, 'artifacts could not be stored')];
    if (d.sending.signal.aborted && sent < artifacts.length) {
      warnings.push(
        `${partWas(artifacts.length - sent, artifacts.length, 'artifact')} not sent: the build was stopped.`,
      );
    }
    d.result = { ...(d.stop === null ? d.result : stoppedWhileSending(d.result, d.stop)), warnings };
  };

  const uploadBatch = async (d: Delivery, batch: readonly ArtifactReport[]) => {
    try {
      const files = batch.map((artifact) => ({ artifact, file: builds.artifactFile(d.ref, artifact.name) }));
      return await upload(d.ref, files, d.sending.signal);
    } catch (error) {
      d.abort.signal.throwIfAborted();
      if (d.sending.signal.aborted) return 'stopped';
      log.error({ err: error, ...d.ref }, 'cannot deliver artifacts');
      const why = 'internal error of the host';
      return { kind: 'sent' as const, failed: batch.map(({ name }) => ({ name, why })) };
    }
  };

  const stop = (d: Delivery, reason: StopReason) => {
    if (d.artifactsDone || d.stop !== null) return;
    d.stop = reason;
    d.stopTimer = clock.setTimeout(() => d.sending.abort(), limits().stoppedArtifactsMs);
  };

  const report = (d: Delivery) => {
    if (!d.artifactsDone || d.timer || d.abort.signal.aborted) return;
    const stored = pump.stored(d.ref);
    if (stored === null || (stored < d.result.log.bytes && !d.result.log.lost)) return;
    if (!send({ type: 'build_finished', ...d.ref, result: d.result })) return;
    d.reports++;
    again(d, limits().finishedRetryMs);
  };
  const again = (d: Delivery, ms: number) => {
    d.timer?.cancel();
    d.timer = clock.setTimeout(() => {
      d.timer = null;
      report(d);
    }, ms);
  };

  const finish = async (d: Delivery) => {
    if (d.abort.signal.aborted) return;
    d.timer?.cancel();
    d.abort.abort();
    pump.forget(d.ref);
    try {
      await builds.forget(d.ref);
    } catch (error) {
      log.error({ err: error, ...d.ref }, 'cannot remove the remains of a build');
    }
    // Not before: what is still on the disk would be delivered again.
    deliveries.delete(refKey(d.ref));
    gone(d.ref);
  };

  return {
    deliver(ref, result) {
      if (deliveries.has(refKey(ref))) return;
      const d: Delivery = {
        ref: { build_id: ref.build_id, attempt: ref.attempt },
        result,
        artifactsDone: result.artifacts.length === 0,
        reports: 0,
        timer: null,
        stop: null,
        stopTimer: null,
        sending: new AbortController(),
        abort: new AbortController(),
      };
      deliveries.set(refKey(ref), d);
      d.abort.signal.addEventListener('abort', () => d.sending.abort(), { once: true });
      if (result.outcome === 'stopped') stop(d, result.stop_reason ?? 'superseded');
      uploadArtifacts(d)
        .then(() => {
          d.artifactsDone = true;
          d.stopTimer?.cancel();
          report(d);
        })
        .catch((error: unknown) => {
          if (!d.abort.signal.aborted) log.error({ err: error, ...ref }, 'cannot deliver artifacts');
        });
    },
    stop(ref, reason) {
      const d = deliveries.get(refKey(ref));
      if (d) stop(d, reason);
    },
    advance(ref) {
      if (ref) {
        const d = deliveries.get(refKey(ref));
        if (d) report(d);
        return;
      }
      for (const d of deliveries.values()) {
        d.timer?.cancel();
        d.timer = null;
        d.reports = 0;
        report(d);
      }
    },
    acknowledged(ref, resendFrom) {
      const d = deliveries.get(refKey(ref));
      if (!d) return;
      if (resendFrom === null) {
        void finish(d);
        return;
      }
      log.info({ ...d.ref, resend_from: resendFrom }, 'the control plane asks for the log again');
      // Once at once; a log that never becomes whole is not sent round and round in haste.
      const { finishedRetryMs: maxMs } = limits();
      again(d, d.reports <= 1 ? 0 : backoffMs(d.reports, { baseMs: 250, maxMs }));
      pump.acknowledged(ref, Math.min(resendFrom, d.result.log.bytes), true);
    },
    logLost(ref) {
      const d = deliveries.get(refKey(ref));
      // Once acknowledged it is being removed, so that it cannot be read is as it should be.
      if (!d || d.abort.signal.aborted || d.result.log.lost) return;
      log.error({ ...d.ref }, 'the log of an ended build is lost');
      d.result = { ...d.result, log: { ...d.result.log, lost: true, possibly_truncated: true } };
      report(d);
    },
    close() {
      for (const d of deliveries.values()) {
        d.timer?.cancel();
        d.stopTimer?.cancel();
        d.abort.abort();
      }
    },
  };
}

/** What stopped the build while its artifacts were sent decides how it ends; a failure of the host stays one. */
function stoppedWhileSending(result: BuildResult, reason: StopReason): BuildResult {
  if (result.outcome !== 'exited') return result;
  const unexplained = { reason_code: null, fault: null, summary: null };
  return { ...result, ...unexplained, outcome: 'stopped', stop_reason: reason, step: 'artifacts' };
}
