// A TCP proxy that can fail like a network.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Drops all traffic in both directions, without closing connections. */
  silence(): void;
  /** New connections work (again); silenced ones stay silent. */
  restore(): void;
  /** Resets every connection. */
  cut(): void;
  /** Bytes that were sent towards the target so far. */
  sent(): number;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: () => number): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let silent = false;
  let sent = 0;
  const server = createServer((near) => {
    if (silent) {
      // Accepted, as by the kernel of a machine without network; never answered.
      near.on('error', () => near.destroy());
      near.pause();
      pairs.add([near, near]);
      return;
    }
    const far = connect(targetPort(), '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.on('data', (data: Buffer) => {
      sent += data.length;
    });
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    pairs.clear();
  };

  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      silent = true;
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
      }
    },
    restore() {
      silent = false;
    },
    cut,
    sent: () => sent,
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
