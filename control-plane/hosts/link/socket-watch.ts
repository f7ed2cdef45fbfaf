// Watches the socket of a host: heartbeat, deadline of hello, incoming data.
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../shared/clock.js';
import { startHeartbeat } from '../../../shared/heartbeat.js';
import type { Log } from '../../../shared/log.js';
import type { LinkLimits } from './connection-ports.js';

/** Listens to the socket and closes it after too long a silence. Returns a function that stops the timers. */
export function watchSocket(
  socket: WebSocket,
  options: {
    readonly realClock: Clock;
    readonly limits: Pick<LinkLimits, 'heartbeat_ms' | 'link_hello_ms'>;
    readonly log: Log;
    /** Called for every message. */
    received(bytes: Buffer, binary: boolean): void;
    /** Called when the time for hello is over. */
    helloIsDue(): void;
  },
): () => void {
  const { realClock, limits, log } = options;
  const heartbeat = startHeartbeat({
    clock: realClock,
    everyMs: limits.heartbeat_ms,
    ping: () => {
      // While the socket is paused, its pong cannot arrive.
      if (socket.isPaused) heartbeat.heard();
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    lost: () => {
      log.warn('no message from the host; closing the link');
      socket.terminate();
    },
  });
  const helloDeadline = realClock.setTimeout(options.helloIsDue, limits.link_hello_ms);
  socket.on('message', (raw: RawData, binary: boolean) => {
    heartbeat.heard();
    options.received(raw as Buffer, binary);
  });
  socket.on('ping', () => heartbeat.heard());
  socket.on('pong', () => heartbeat.heard());
  socket.on('error', (error) => log.debug({ err: error }, 'link error'));
  return () => {
    heartbeat.stop();
    helloDeadline.cancel();
  };
}
