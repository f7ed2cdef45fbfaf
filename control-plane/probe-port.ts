// Is the address free? Asked before anything in the data folder is touched.
import { createServer } from 'node:net';
import { StartError } from './start-error.js';

/**
 * Binds the address and frees it again.
 *
 * @param port 0: any free one
 * @returns the port, which answers carry from the first one on
 * @throws StartError when it cannot be bound
 */
export function probePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(listenProblem(host, port, error) ?? error));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}

/** Null when it is no problem of the address. */
export function listenProblem(host: string, port: number, error: unknown): StartError | null {
  const meanings: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'permission denied',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'the name is not known',
    EAI_AGAIN: 'the name cannot be resolved now',
  };
  const meaning = meanings[(error as NodeJS.ErrnoException).code ?? ''];
  if (meaning === undefined) return null;
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new StartError(`cannot listen on ${address}: ${meaning}`, { cause: error });
}
