import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Test } from 'tap';

/** Has a server listen on this machine until the test ends, and its connections with it; returns its port. */
export async function listening(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
