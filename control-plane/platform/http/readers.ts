// Disconnects clients that do not read what they were answered.
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../shared/clock.js';

/** Sweeps within the time limit of a reader. */
const SWEEPS = 4;

interface Reader {
  readonly socket: Socket;
  /** Bytes that it had read at the last sweep. */
  read: number;
  /** Sweeps without a further one. */
  idle: number;
}

/** @param limitMs a client that takes nothing for this long is disconnected */
export function createReaders(clock: Clock, limitMs: number) {
  const readers = new Set<Reader>();
  let timer: Timer | null = null;
  let isClosed = false;
  let disconnected = 0;
  const sweep = () => {
    for (const reader of readers) {
      const { socket } = reader;
      // Behind a request on the same connection that is not answered yet, nothing can be read.
      const waits = socket.writableLength > 0;
      const read = socket.bytesWritten - socket.writableLength;
      reader.idle = waits && read === reader.read ? reader.idle + 1 : 0;
      reader.read = read;
      if (reader.idle < SWEEPS || socket.destroyed) continue;
      disconnected++;
      socket.destroy();
    }
    timer = null;
    arm();
  };
  const arm = () => {
    if (!isClosed && timer === null && readers.size > 0) timer = clock.setTimeout(sweep, limitMs / SWEEPS);
  };
  return {
    /** Watches the client until the returned function is called: when its answer is read, or its connection is closed. */
    watch(socket: Socket): () => void {
      const reader = { socket, read: -1, idle: 0 };
      readers.add(reader);
      arm();
      return () => void readers.delete(reader);
    },
    /** Returns how many clients were disconnected. */
    disconnected: (): number => disconnected,
    close(): void {
      isClosed = true;
      timer?.cancel();
    },
  };
}
