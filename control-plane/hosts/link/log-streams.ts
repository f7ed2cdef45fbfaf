// The log streams of one connection, by build and attempt.
import { InvalidMessage } from './incoming.js';
import { type AttemptRef, LogStream, type LogStreamDeps } from './log-stream.js';

export type LogStreams = ReturnType<typeof createLogStreams>;

/** @param most streams that may be open at a time */
export function createLogStreams(most: number, deps: Omit<LogStreamDeps, 'idle'>) {
  const streams = new Map<string, LogStream>();
  return {
    /** Returns the stream of an attempt, opening it if necessary. Throws InvalidMessage when too many are open. */
    of(ref: AttemptRef): LogStream {
      const key = `${ref.build_id}/${ref.attempt}`;
      const present = streams.get(key);
      if (present) return present;
      if (streams.size >= most) throw new InvalidMessage('builds: too many at a time');
      const stream = new LogStream(ref, { ...deps, idle: () => streams.delete(key) });
      streams.set(key, stream);
      return stream;
    },
    close(): void {
      for (const stream of streams.values()) stream.close();
      streams.clear();
    },
  };
}
