// Backpressure: pauses a socket while too many of its bytes are not yet stored, so that TCP slows the host down.
import type { WebSocket } from 'ws';

export interface Backpressure {
  received(bytes: number): void;
  dealtWith(bytes: number): void;
}

/** @param limitBytes reading pauses above it, and resumes below half of it */
export function createBackpressure(
  socket: Pick<WebSocket, 'isPaused' | 'pause' | 'resume'>,
  limitBytes: number,
): Backpressure {
  let pending = 0;
  return {
    received(bytes) {
      pending += bytes;
      if (pending > limitBytes && !socket.isPaused) socket.pause();
    },
    dealtWith(bytes) {
      pending -= bytes;
      if (pending < limitBytes / 2 && socket.isPaused) socket.resume();
    },
  };
}
