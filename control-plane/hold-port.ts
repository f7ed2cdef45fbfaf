// Binds the address before the data folder is modified, and keeps it until the service listens.

import { createServer } from 'node:net';
import { errnoOf } from '../shared/errno.js';
import { StartError } from './start-error.js';

export interface HeldPort {
  readonly port: number;
  /** Releases the address. Call it right before the service listens, or when startup fails. */
  release(): Promise<void>;
}

/**
 * Binds the address. Until it is released, connections are closed immediately because nothing can answer them yet.
 *
 * @param port 0: any free port; the actual port is in the result
 * @throws StartError if the address cannot be bound
 */
export function holdPort(host: string, port: number): Promise<HeldPort> {
  return new Promise((resolve, reject) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once('error', (error) => reject(listenProblem(host, port, error) ?? error));
    holder.listen(port, host, () => {
      const address = holder.address();
      let released: Promise<void> | null = null;
      const release = () => {
        released ??= new Promise<void>((done) => holder.close(() => done()));
        return released;
      };
      if (address && typeof address === 'object') resolve({ port: address.port, release });
      else reject(new Error('no free port'));
    });
  });
}

/** Returns a StartError for an error caused by the address, or null for any other error. */
export function listenProblem(host: string, port: number, error: unknown): StartError | null {
  const meanings: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'permission denied',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'the name is not known',
    EAI_AGAIN: 'the name cannot be resolved now',
  };
  const meaning = meanings[errnoOf(error) ?? ''];
  if (meaning === undefined) return null;
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new StartError(`cannot listen on ${address}: ${meaning}`, { cause: error });
}
