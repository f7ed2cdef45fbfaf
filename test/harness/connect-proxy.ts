// A proxy that supports CONNECT, and names that only it can resolve.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Test } from 'tap';
import { listening } from './listening.js';

export interface ConnectProxy {
  /** http://127.0.0.1:PORT */
  url: string;
  port: number;
  /** `host:port` of each request, in order. */
  asked: string[];
  /** Number of requests without the required password. */
  refused: number;
  /** Required `user:password`; null: none. */
  password: string | null;
}

/** @param names local ports by `host:port` */
export async function startConnectProxy(t: Test, names: Readonly<Record<string, number>>): Promise<ConnectProxy> {
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, socket, head) => {
    const target = request.url ?? '';
    proxy.asked.push(target);
    socket.on('error', () => undefined);
    const wanted = proxy.password === null ? undefined : `Basic ${Buffer.from(proxy.password).toString('base64')}`;
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      proxy.refused += 1;
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="proxy"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
      );
      return;
    }
    const port = names[target];
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const behind = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      behind.write(head);
      socket.pipe(behind).pipe(socket);
    });
    behind.on('error', () => socket.destroy());
    behind.on('close', () => socket.destroy());
    socket.on('close', () => behind.destroy());
  });
  const port = await listening(t, server);
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${port}`,
    port,
    asked: [],
    refused: 0,
    password: null,
  };
  return proxy;
}
