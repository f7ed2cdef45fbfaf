// A TCP proxy between the browser and the service, whose connections can freeze (nothing arrives, nothing fails) or be cut.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface FreezingProxy {
  readonly url: string;
  /** The port of the service. */
  target: number;
  /** From now on nothing is forwarded. New connections seem to be open: a real network would not answer them yet. */
  freeze(): void;
  /** From now on connections are closed at once, those that are open, too. */
  cut(): void;
  /** Forwards new connections, and those that were begun meanwhile. Connections from before stay as they are. */
  restore(): void;
}

export async function startFreezingProxy(t: Test): Promise<FreezingProxy> {
  const sockets = new Set<Socket>();
  /** Connections that were begun while nothing was forwarded. */
  const begun = new Set<Socket>();
  let state: 'forwarding' | 'frozen' | 'cut' = 'forwarding';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      begun.delete(socket);
    });
    socket.on('error', () => undefined);
  };
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const forward = (client: Socket) => {
    const upstream = connect(proxy.target, '127.0.0.1');
    keep(upstream);
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => {
        if (state !== 'frozen') other.destroy();
      });
    }
  };
  // `allowHalfOpen`: a closed end of a frozen connection is not noticed either.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    if (state === 'cut') client.destroy();
    else if (state === 'frozen') begun.add(client.pause());
    else forward(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    state = 'cut';
    closeAll();
    server.close();
  });
  const proxy: FreezingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut() {
      state = 'cut';
      closeAll();
    },
    restore() {
      state = 'forwarding';
      for (const client of begun) forward(client);
      begun.clear();
    },
  };
  return proxy;
}
