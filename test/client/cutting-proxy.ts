// A TCP proxy that cuts connections after so many bytes of the answer.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  /** The target's address, as it is reached through the proxy. */
  url: string;
  /** Bytes of answers let through on each following connection before it is cut; then no more cuts. */
  cuts: number[];
  close(): Promise<void>;
}

/** Starts a proxy in front of an http address. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port, pathname } = new URL(target);
  const cuts: number[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const limit = cuts.shift() ?? Number.POSITIVE_INFINITY;
    const service = connect(Number(port), hostname);
    let passed = 0;
    const end = () => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      open.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.pipe(service);
    service.on('data', (chunk) => {
      const rest = chunk.subarray(0, Math.max(0, limit - passed));
      passed += chunk.length;
      // Ends the connection normally after the last byte, so that this byte still arrives.
      if (passed >= limit) client.end(rest, () => client.destroy());
      else client.write(rest);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    cuts,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
