// Delivers ended builds to the control plane: artifacts, the whole log, then the result until it is acknowledged.

import { backoffMs } from '../../../shared/backoff.js';
import { summaryFields, warningFields } from '../../../shared/build.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { AgentMessage, BuildResult, StopReason } from '../../../shared/protocol/index.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { BuildSupervisor } from '../supervisor.js';
import type { UploadArtifacts } from './artifact-upload.js';
import { deliverArtifacts } from './deliver-artifacts.js';
import type { OutputPump } from './output-pump.js';
import { refKey } from './ref-key.js';

export type Deliveries = ReturnType<typeof createDeliveries>;

interface Delivery {
  readonly ref: AttemptRef;
  result: BuildResult;
  artifactsDone: boolean;
  stop: StopReason | null;
  stopTimer: Timer | null;
  /** Aborts the sending of artifacts. */
  readonly sending: AbortController;
  /** Results sent since the connection was established. */
  reports: number;
  timer: Timer | null;
  /** Aborted when the result is acknowledged, and on close. */
  readonly abort: AbortController;
}

export interface DeliveriesDeps {
  builds: Pick<BuildSupervisor, 'artifactFile' | 'forget'>;
  pump: Pick<OutputPump, 'stored' | 'acknowledged' | 'forget'>;
  upload: UploadArtifacts;
  send: (message: AgentMessage) => boolean;
  /** Called when a build has been deleted from this host. */
  gone: (ref: AttemptRef) => void;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}

const RESEND_BASE_MS = 250;

export function createDeliveries(deps: DeliveriesDeps) {
  const { pump, limits, log } = deps;
  const deliveries = new Map<string, Delivery>();
  const find = (ref: AttemptRef) => deliveries.get(refKey(ref));

  return {
    /** Starts delivering an ended build. Does nothing if it is being delivered. */
    deliver(ref: AttemptRef, result: BuildResult) {
      if (find(ref)) return;
      const delivery = newDelivery(ref, result);
      deliveries.set(refKey(ref), delivery);
      if (result.outcome === 'stopped') stopSending(deps, delivery, result.stop_reason ?? 'superseded');
      sendArtifacts(deps, delivery).catch((error: unknown) => {
        if (!delivery.abort.signal.aborted) log.error({ err: error, ...ref }, 'cannot deliver artifacts');
      });
    },
    /**
     * Stops sending artifacts after `stoppedArtifactsMs`; those not sent by then are left out, and a build whose script had
     * exited counts as stopped. Has no effect once all artifacts are sent.
     */
    stop(ref: AttemptRef, reason: StopReason) {
      const delivery = find(ref);
      if (delivery) stopSending(deps, delivery, reason);
    },
    /** To be called when more of this build's log is stored, or, without a build, when the link is up. */
    advance(ref?: AttemptRef) {
      if (ref) {
        const delivery = find(ref);
        if (delivery) report(deps, delivery);
        return;
      }
      for (const delivery of deliveries.values()) {
        delivery.timer?.cancel();
        delivery.timer = null;
        delivery.reports = 0;
        report(deps, delivery);
      }
    },
    acknowledged(ref: AttemptRef, resendFrom: number | null) {
      const delivery = find(ref);
      if (!delivery) return;
      if (resendFrom === null) {
        void finish(deps, delivery, () => deliveries.delete(refKey(ref)));
        return;
      }
      log.info({ ...delivery.ref, resend_from: resendFrom }, 'the control plane asks for the log again');
      // The first time at once, then with backoff: a log that never becomes complete must not be sent in a tight loop.
      const { finishedRetryMs: maxMs } = limits();
      const { reports } = delivery;
      reportAfter(deps, delivery, reports <= 1 ? 0 : backoffMs(reports, { baseMs: RESEND_BASE_MS, maxMs }));
      pump.acknowledged(ref, Math.min(resendFrom, delivery.result.log.bytes), true);
    },
    /** Whether the build's end was acknowledged, and its files are being deleted. */
    isEnding: (ref: AttemptRef) => find(ref)?.abort.signal.aborted ?? false,
    /** The log of this build cannot be read to its end: its result is reported without the rest. */
    logLost(ref: AttemptRef) {
      const delivery = find(ref);
      // Once acknowledged, the build is being deleted, so its log is expected to be missing.
      if (!delivery || delivery.abort.signal.aborted || delivery.result.log.lost) return;
      log.error({ ...delivery.ref }, 'the log of an ended build is lost');
      const { result } = delivery;
      delivery.result = { ...result, log: { ...result.log, lost: true, possibly_truncated: true } };
      report(deps, delivery);
    },
    close() {
      for (const { timer, stopTimer, abort } of deliveries.values()) {
        timer?.cancel();
        stopTimer?.cancel();
        abort.abort();
      }
    },
  };
}

function newDelivery(ref: AttemptRef, result: BuildResult): Delivery {
  const delivery: Delivery = {
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
  delivery.abort.signal.addEventListener('abort', () => delivery.sending.abort(), { once: true });
  return delivery;
}

async function sendArtifacts(deps: DeliveriesDeps, delivery: Delivery): Promise<void> {
  const { ref, result } = delivery;
  const signals = { stopped: delivery.sending.signal, closed: delivery.abort.signal };
  const warnings = await deliverArtifacts(deps, ref, result, signals);
  const { stop } = delivery;
  delivery.result = {
    ...(stop === null ? delivery.result : stoppedWhileSending(delivery.result, stop)),
    ...warningFields(warnings),
  };
  delivery.artifactsDone = true;
  delivery.stopTimer?.cancel();
  report(deps, delivery);
}

function stopSending({ clock, limits }: DeliveriesDeps, delivery: Delivery, reason: StopReason): void {
  if (delivery.artifactsDone || delivery.stop !== null) return;
  delivery.stop = reason;
  delivery.stopTimer = clock.setTimeout(() => delivery.sending.abort(), limits().stoppedArtifactsMs);
}

/** Sends the result once artifacts and log are stored, and again until it is acknowledged. */
function report(deps: DeliveriesDeps, delivery: Delivery): void {
  const { ref, result } = delivery;
  if (!delivery.artifactsDone || delivery.timer || delivery.abort.signal.aborted) return;
  const stored = deps.pump.stored(ref);
  if (stored === null || (stored < result.log.bytes && !result.log.lost)) return;
  if (!deps.send({ type: 'build_finished', ...ref, result })) return;
  delivery.reports++;
  reportAfter(deps, delivery, deps.limits().finishedRetryMs);
}

function reportAfter(deps: DeliveriesDeps, delivery: Delivery, ms: number): void {
  delivery.timer?.cancel();
  delivery.timer = deps.clock.setTimeout(() => {
    delivery.timer = null;
    report(deps, delivery);
  }, ms);
}

async function finish(deps: DeliveriesDeps, delivery: Delivery, remove: () => void): Promise<void> {
  const { builds, pump, gone, log } = deps;
  const { ref } = delivery;
  if (delivery.abort.signal.aborted) return;
  delivery.timer?.cancel();
  delivery.abort.abort();
  pump.forget(ref);
  try {
    await builds.forget(ref);
  } catch (error) {
    log.error({ err: error, ...ref }, 'cannot delete the files of a build');
  }
  // Not earlier: while the files exist, the build would be delivered again.
  remove();
  gone(ref);
}

/** Returns the result of a build that was stopped while its artifacts were sent; a failure of the host stays one. */
function stoppedWhileSending(result: BuildResult, reason: StopReason): BuildResult {
  if (result.outcome !== 'exited') return result;
  const unexplained = { reason_code: null, fault: null, ...summaryFields(null) };
  return { ...result, ...unexplained, outcome: 'stopped', stop_reason: reason, step: 'artifacts' };
}
