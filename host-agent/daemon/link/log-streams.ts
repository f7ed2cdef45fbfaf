// The send state of the log of each build, and whose turn it is to send.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import { refKey } from './ref-key.js';

/** Offsets are bytes in the masked log. */
export interface LogStream {
  readonly ref: AttemptRef;
  end: number;
  sent: number;
  acknowledged: number;
  /** The control plane has said where to continue, or does not know this build yet. */
  known: boolean;
  /** Incremented by everything that invalidates a read in progress. */
  version: number;
  /** Runs while a small amount of output waits for more; `ready` once it has fired. */
  gathering: Timer | null;
  ready: boolean;
  /** Runs after a failed read, until the log is read again. */
  readRetry: Timer | null;
}

/** @param wake called when output that was gathered is ready to be sent */
export function createLogStreams(clock: Clock, limits: () => LinkLimits, wake: () => void) {
  const streams = new Map<string, LogStream>();

  /** The first output is sent at once; small output that follows is gathered while the first is in flight. */
  const isWorthSending = (stream: LogStream): boolean => {
    const { outputFrameBytes, outputGatherMs } = limits();
    const waiting = stream.end - stream.sent;
    if (stream.ready || stream.sent === stream.acknowledged || waiting >= outputFrameBytes / 2) return true;
    stream.gathering ??= clock.setTimeout(() => {
      stream.gathering = null;
      stream.ready = true;
      wake();
    }, outputGatherMs);
    return false;
  };

  return {
    /** Returns the stream of a build, creating it if needed. */
    open(ref: AttemptRef) {
      const key = refKey(ref);
      let stream = streams.get(key);
      if (!stream) {
        stream = newStream(ref);
        streams.set(key, stream);
      }
      return stream;
    },
    find: (ref: AttemptRef) => streams.get(refKey(ref)),
    all: (): Iterable<LogStream> => streams.values(),
    /** Returns the next stream with output to send and room in its window, in turn; null when there is none. */
    next(): LogStream | null {
      for (const [key, stream] of streams) {
        if (!stream.known || stream.readRetry || stream.sent >= stream.end) continue;
        const inFlight = stream.sent - stream.acknowledged;
        if (inFlight >= limits().outputWindowBytes || !isWorthSending(stream)) continue;
        // Moved to the end, so that all streams get their turn.
        streams.delete(key);
        streams.set(key, stream);
        return stream;
      }
      return null;
    },
    remove(ref: AttemptRef) {
      const stream = streams.get(refKey(ref));
      if (!stream) return;
      stream.version++;
      stream.gathering?.cancel();
      stream.readRetry?.cancel();
      streams.delete(refKey(ref));
    },
  };
}

/** Continues the stream at an offset; nothing that was sent beyond it counts. */
export function rewind(stream: LogStream, offset: number): void {
  stream.sent = offset;
  stream.acknowledged = offset;
  stream.known = true;
  stream.version++;
}

function newStream(ref: AttemptRef): LogStream {
  return {
    ref: { build_id: ref.build_id, attempt: ref.attempt },
    end: 0,
    sent: 0,
    acknowledged: 0,
    known: true,
    version: 0,
    gathering: null,
    ready: false,
    readRetry: null,
  };
}
