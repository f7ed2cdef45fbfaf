// Ended builds on their way to the control plane: artifacts, whole log, then the result, until it is acknowledged.
import { backoffMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { AgentMessage, BuildResult } from '../../shared/protocol/index.js';
import type { AttemptRef } from '../build/attempt-folder.js';
import type { BuildSupervisor } from '../build/supervisor.js';
import type { LinkLimits } from '../limits.js';
import type { UploadArtifact } from './artifact-upload.js';
import type { OutputPump } from './output-pump.js';
import { refKey } from './ref-key.js';

export interface Deliveries {
  /** Begins to deliver an ended build; harmless when it is being delivered. */
  deliver(ref: AttemptRef, result: BuildResult): void;
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
  /** Reports that were not acknowledged as the last. */
  reports: number;
  timer: Timer | null;
  readonly abort: AbortController;
}

export function createDeliveries(deps: {
  builds: Pick<BuildSupervisor, 'artifactFile' | 'forget'>;
  pump: Pick<OutputPump, 'stored' | 'acknowledged' | 'forget'>;
  upload: UploadArtifact;
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
    const warnings: string[] = [];
    const failed = (name: string, why: string) => {
      log.warn({ ...d.ref, artifact: name, why }, 'artifact not delivered');
      warnings.push(`The artifact ${name} could not be stored: ${why}.`);
    };
    for (const artifact of d.result.artifacts) {
      try {
        const file = builds.artifactFile(d.ref, artifact.name);
        const outcome = await upload(d.ref, artifact, file, d.abort.signal);
        if (outcome.kind === 'unwanted') break;
        if (outcome.kind === 'failed') failed(artifact.name, outcome.why);
      } catch (error) {
        d.abort.signal.throwIfAborted();
        log.error({ err: error, ...d.ref }, 'cannot deliver an artifact');
        failed(artifact.name, 'internal error of the host');
      }
    }
    d.result = { ...d.result, warnings: [...d.result.warnings, ...warnings] };
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
        artifactsDone: false,
        reports: 0,
        timer: null,
        abort: new AbortController(),
      };
      deliveries.set(refKey(ref), d);
      uploadArtifacts(d)
        .then(() => {
          d.artifactsDone = true;
          report(d);
        })
        .catch((error: unknown) => {
          if (!d.abort.signal.aborted) log.error({ err: error, ...ref }, 'cannot deliver artifacts');
        });
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
      if (!d || d.result.log.lost) return;
      log.error({ ...d.ref }, 'the log of an ended build is lost');
      d.result = { ...d.result, log: { ...d.result.log, lost: true, possibly_truncated: true } };
      report(d);
    },
    close() {
      for (const d of deliveries.values()) {
        d.timer?.cancel();
        d.abort.abort();
      }
    },
  };
}
