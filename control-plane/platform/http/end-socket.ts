import type { Duplex } from 'node:stream';
import { systemClock } from '../../../shared/clock.js';

const LINGER_MS = 2_000;

/**
 * Sends `text` and closes the connection, even if the other side does not. Incoming data is discarded until then:
 * closing a connection with unread data resets it, and the text may be lost.
 */
export function endSocket(socket: Duplex, text: string): void {
  socket.end(text);
  socket.resume();
  const timer = systemClock.setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => timer.cancel());
}
