// Sends the logs of all builds over one link: read from disk, in turn, each within its window.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { beginOutput, OUTPUT_HEADER_ROOM, SERVICE_RANGES, type ServiceBytes } from '../../../shared/protocol/index.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { BuildSupervisor } from '../supervisor.js';
import { createLogStreams, type LogStream, rewind } from './log-streams.js';

export type OutputPump = ReturnType<typeof createOutputPump>;

export interface OutputPumpDeps {
  builds: Pick<BuildSupervisor, 'readLog' | 'serviceLines'> & Partial<Pick<BuildSupervisor, 'silentMs'>>;
  /** Returns false when the link is down. */
  send: (frame: Buffer) => boolean;
  /** Called when a log no longer exists, or is shorter than reported. */
  missing?: (ref: AttemptRef) => void;
  /** Returns the number of bytes buffered in the socket. */
  waiting: () => number;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}

export function createOutputPump(deps: OutputPumpDeps) {
  const { waiting, clock, limits } = deps;
  let up = false;
  let running = false;

  const step = async () => {
    if (running) return;
    running = true;
    try {
      while (up && waiting() < limits().socketBufferBytes) {
        const stream = streams.next();
        // After a failed send the link is closing; the next connection starts again.
        if (!stream || !(await sendNext(stream))) break;
      }
    } finally {
      running = false;
    }
  };
  const wake = () => void step();
  const streams = createLogStreams(clock, limits, wake);
  const sendNext = createSender(deps, () => up, wake);

  return {
    /** The link is up. For builds named in hello, nothing is sent until the control plane says where to continue. */
    connected(named: readonly AttemptRef[]) {
      up = true;
      for (const stream of streams.all()) rewind(stream, 0);
      for (const ref of named) streams.open(ref).known = false;
      wake();
    },
    disconnected() {
      up = false;
      for (const stream of streams.all()) stream.version++;
    },
    grew(ref: AttemptRef, logBytes: number) {
      const stream = streams.open(ref);
      stream.end = Math.max(stream.end, logBytes);
      wake();
    },
    acknowledged(ref: AttemptRef, nextOffset: number, resend: boolean) {
      const stream = streams.find(ref);
      if (!stream) return;
      if (resend || nextOffset > stream.sent) rewind(stream, nextOffset);
      else stream.acknowledged = Math.max(stream.acknowledged, nextOffset);
      wake();
    },
    /** Returns how many bytes of the log the control plane has stored; null while that is not known. */
    stored(ref: AttemptRef): number | null {
      const stream = streams.find(ref);
      return up && stream?.known ? stream.acknowledged : null;
    },
    forget: streams.remove,
    /** To be called when the socket may have room again. */
    step: wake,
  };
}

/** Returns a function that sends the next piece of a stream; false when the link accepts no more. */
function createSender(
  { builds, send, missing, clock, limits, log }: OutputPumpDeps,
  isUp: () => boolean,
  wake: () => void,
) {
  const retryLater = (stream: LogStream) => {
    stream.readRetry = clock.setTimeout(() => {
      stream.readRetry = null;
      wake();
    }, limits().readRetryMs);
  };

  return async (stream: LogStream): Promise<boolean> => {
    const { version, sent: offset } = stream;
    const { outputFrameBytes } = limits();
    const { bytes, service } = nextPiece(builds, stream, outputFrameBytes);
    const memory = Buffer.allocUnsafeSlow(OUTPUT_HEADER_ROOM + bytes);
    const silent = builds.silentMs?.(stream.ref) ?? null;
    const header = {
      ...(service.length === 0 ? {} : { service }),
      ...(silent === null ? {} : { silent_ms: silent }),
    };
    const at = beginOutput(memory, { ...stream.ref, offset, ...header });
    let length: number;
    try {
      length = await builds.readLog(stream.ref, offset, memory.subarray(at, at + bytes));
    } catch (error) {
      if (stream.version !== version) return true;
      log.error({ err: error, ...stream.ref, offset }, 'cannot read the log of a build');
      retryLater(stream);
      return true;
    }
    if (!isUp() || stream.version !== version) return true;
    if (length === 0) {
      // Later growth is reported again.
      stream.end = offset;
      missing?.(stream.ref);
      return true;
    }
    stream.ready = false;
    const accepted = send(memory.subarray(0, at + length));
    if (accepted) stream.sent = offset + length;
    return accepted;
  };
}

/**
 * Returns the length of the next frame, with the lines of the service in it. The frame ends at the reported length, because
 * only up to there the service's lines are known, and before a line that it has no room to mark.
 */
function nextPiece(
  builds: OutputPumpDeps['builds'],
  { ref, sent, end }: LogStream,
  frameBytes: number,
): { bytes: number; service: ServiceBytes[] } {
  const most = Math.min(frameBytes, end - sent);
  const service = builds.serviceLines(ref, sent, sent + most);
  const [next] = service.splice(SERVICE_RANGES);
  return { bytes: next ? next[0] - sent : most, service };
}
