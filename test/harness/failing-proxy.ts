// A proxy in front of an HTTP server that does to requests what networks and busy servers do.
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import { listening } from './listening.js';

/**
 * `pass`: the request reaches the server; `cut-request`: the connection breaks while the body is sent; `cut-answer`: the
 * server has done what was asked, and the connection breaks in the middle of its answer; `lost-answer`: before it;
 * `wrong-byte`: a byte of the body is another one; an object: the answer, in place of the server's.
 */
export type Fault =
  | 'pass'
  | 'cut-request'
  | 'cut-answer'
  | 'lost-answer'
  | 'wrong-byte'
  | { readonly status: number; readonly text: string };

export interface FailingProxy {
  readonly origin: string;
  /** Decides what happens to each request. */
  fault: (request: IncomingMessage) => Fault;
  /** How many requests have failed. */
  failed: number;
}

export async function startFailingProxy(t: Test, to: string): Promise<FailingProxy> {
  const target = new URL(to);
  const proxy: { -readonly [K in keyof FailingProxy]: FailingProxy[K] } = {
    origin: '',
    fault: () => 'pass',
    failed: 0,
  };
  const server = createServer((request, response) => {
    const answer = async () => {
      const fault = proxy.fault(request);
      if (fault !== 'pass') proxy.failed++;
      if (fault === 'cut-request') {
        request.once('data', () => request.socket.destroy());
        request.once('end', () => request.socket.destroy());
        return request.resume();
      }
      const body = await buffer(request);
      if (typeof fault === 'object') return response.writeHead(fault.status).end(fault.text);
      if (fault === 'wrong-byte' && body.length > 0) body[0] = (body[0] ?? 0) ^ 1;
      // The client has signed the Host header of the proxy, so it stays.
      const { method, url, headers } = request;
      const sent = send({ host: target.hostname, port: target.port, method, path: url, headers, agent: false });
      sent.on('error', () => request.socket.destroy());
      sent.on('response', async (from) => {
        const bytes = await buffer(from);
        if (fault === 'lost-answer') return request.socket.destroy();
        response.writeHead(from.statusCode ?? 500, from.headers);
        if (fault !== 'cut-answer') return response.end(bytes);
        response.flushHeaders();
        return response.write(bytes.subarray(0, bytes.length >> 1), () => request.socket.destroy());
      });
      return sent.end(body);
    };
    answer().catch(() => request.socket.destroy());
  });
  const port = await listening(t, server);
  proxy.origin = `http://127.0.0.1:${port}`;
  return proxy;
}
