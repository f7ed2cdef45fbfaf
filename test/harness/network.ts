import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { listening } from './listening.js';

/** A network between a client and a server: a local port that leads to another one, or nowhere. */
export async function startNetwork(t: Test) {
  let target: number | null = null;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (target === null) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const port = await listening(t, server);
  const leadTo = (to: number | null) => {
    target = to;
    for (const socket of open) socket.destroy();
  };
  t.teardown(() => leadTo(null));
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** Ends all connections; new ones go to this port. */
    leadTo,
    cut: () => leadTo(null),
  };
}
