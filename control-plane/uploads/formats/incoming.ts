// The body of a request as a stream of chunks, with bounds on time. Reading may stop anywhere: the connection
// stays open, so that the answer reaches the client.
import type { Readable } from 'node:stream';
import type { Clock } from '../../../shared/clock.js';
import { FormatError } from './format-error.js';

export interface TimeBounds {
  /** Milliseconds in which something must come. */
  idleMs: number;
  /** Milliseconds for everything. */
  totalMs: number;
  /** Real time: networks do not follow a test clock. */
  clock: Clock;
}

/**
 * Lets `work` read the body. Afterwards nothing refers to the stream, even if it was not read to its end.
 *
 * @throws FormatError `interrupted` when the client stops sending
 */
export async function readIncoming<T>(
  stream: Readable,
  bounds: TimeBounds,
  work: (chunks: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const { idleMs, totalMs, clock } = bounds;
  const deadline = clock.monotonic() + totalMs;
  let wake = () => {};
  let late = false;
  let left = false;
  const onEvent = () => wake();
  const events = ['readable', 'end', 'error', 'close'] as const;
  for (const event of events) stream.on(event, onEvent);

  const next = async (): Promise<IteratorResult<Buffer, undefined>> => {
    while (!left) {
      const chunk: Buffer | null = stream.read();
      if (chunk !== null) return { value: chunk, done: false };
      if (stream.readableEnded) return { value: undefined, done: true };
      if (stream.destroyed || stream.errored) throw broken('The connection was closed before the body was complete.');
      if (late) throw broken('The body did not arrive in time.');
      await new Promise<void>((resolve) => {
        const timer = clock.setTimeout(
          () => {
            late = true;
            resolve();
          },
          Math.min(idleMs, deadline - clock.monotonic()),
        );
        wake = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    return { value: undefined, done: true };
  };

  try {
    return await work({ [Symbol.asyncIterator]: () => ({ next }) });
  } finally {
    for (const event of events) stream.off(event, onEvent);
    // Ends a read-ahead that nobody waits for.
    left = true;
    wake();
    // Otherwise a stream that fails later would end the process.
    stream.on('error', () => {});
  }
}

function broken(message: string): FormatError {
  return new FormatError('interrupted', message);
}
