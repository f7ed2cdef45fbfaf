// Whether an address of the local network can be reached.
import { connect as open } from 'node:net';
import type { Clock } from '../../shared/clock.js';

export interface Connected {
  /** refused: there is a machine, and nothing listens. */
  readonly result: 'connected' | 'refused' | 'unreachable' | 'no_answer';
  readonly ms: number;
}

const PATIENCE_MS = 2_000;

/** Opens a connection and closes it again. Never rejects. */
export function connectTo(host: string, port: number, clock: Clock): Promise<Connected> {
  const began = clock.monotonic();
  return new Promise((resolve) => {
    const socket = open({ host, port });
    const end = (result: Connected['result']) => {
      timer.cancel();
      socket.destroy();
      resolve({ result, ms: clock.monotonic() - began });
    };
    const timer = clock.setTimeout(() => end('no_answer'), PATIENCE_MS);
    socket.once('connect', () => end('connected'));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') end('refused');
      else end(error.code === 'EHOSTUNREACH' ? 'unreachable' : 'no_answer');
    });
  });
}
