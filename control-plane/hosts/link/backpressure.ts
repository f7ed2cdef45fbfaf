// Backpressure: pauses a socket while too many of its bytes or messages are not yet dealt with, so that TCP slows the host
// down.
import type { WebSocket } from 'ws';

export type Backpressure = ReturnType<typeof createBackpressure>;

/** @param most reading pauses above one of them, and resumes below half of both */
export function createBackpressure(
  socket: Pick<WebSocket, 'isPaused' | 'pause' | 'resume'>,
  most: { bytes: number; messages: number },
) {
  const pending = { bytes: 0, messages: 0 };
  return {
    /** @param messages default: 0, for bytes of a log, which may be dealt with in other pieces */
    received(bytes: number, messages: number = 0): void {
      pending.bytes += bytes;
      pending.messages += messages;
      const tooMuch = pending.bytes > most.bytes || pending.messages > most.messages;
      if (tooMuch && !socket.isPaused) socket.pause();
    },
    dealtWith(bytes: number, messages: number = 0): void {
      pending.bytes -= bytes;
      pending.messages -= messages;
      const little = pending.bytes < most.bytes / 2 && pending.messages < most.messages / 2;
      if (little && socket.isPaused) socket.resume();
    },
  };
}
