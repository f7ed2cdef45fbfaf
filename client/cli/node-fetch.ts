// The network of the command line: node:http with kept connections. It starts faster than the global fetch,
// and supports proxies, which the global fetch of Node 20 does not (ADR 26).
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { proxyFor, proxyFromEnvironment } from '../../shared/network/proxy.js';
import { createTunnelAgent } from '../../shared/network/tunnel.js';
import type { FetchLike, ResponseLike, SendBody } from '../http/fetch-like.js';

export interface NodeFetch {
  fetch: FetchLike;
  /** Opens a connection that the next request to this address will use. */
  connectAhead(url: string): Promise<void>;
  /** Closes the kept connections; requests under way fail. */
  close(): void;
}

/** Time limit for a proxy to connect. */
const TUNNEL_MS = 30_000;

/**
 * A {@link FetchLike} over node:http and, for https addresses, node:https, through the proxy that `env` names.
 *
 * @param env read at the first https address
 */
export function createNodeFetch(env: NodeJS.ProcessEnv): NodeFetch {
  const plain = { request: http.request, agent: new http.Agent({ keepAlive: true }) };
  let secure: typeof plain | null = null;
  let tunnel: typeof plain | null = null;
  let ahead: Duplex | null = null;
  const forAddress = (url: string) => {
    if (url.startsWith('http:')) return plain;
    // Synchronous: during an await a second caller would create a second pool.
    const https = process.getBuiltinModule('node:https');
    const proxy = proxyFor(url, proxyFromEnvironment(env));
    if (proxy) {
      const agent = () => createTunnelAgent({ proxy, timeoutMs: TUNNEL_MS }, { keepAlive: true });
      tunnel ??= { request: https.request, agent: agent() };
      return tunnel;
    }
    if (!secure) {
      secure = { request: https.request, agent: new https.Agent({ keepAlive: true }) };
    }
    return secure;
  };
  return {
    async fetch(url, init) {
      const { request, agent } = forAddress(url);
      const { method, body, signal } = init;
      const headers =
        body === undefined || isStream(body)
          ? init.headers
          : { ...init.headers, 'content-length': String(Buffer.byteLength(body)) };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(url, { method, headers, agent, ...(signal ? { signal } : {}) });
        sent.on('response', resolve);
        sent.on('error', reject);
        if (body === undefined || !isStream(body)) sent.end(body);
        else pump(body, sent).catch((error: Error) => sent.destroy(error));
      });
      return responseLike(response);
    },
    async connectAhead(url) {
      const { agent } = forAddress(url);
      // Connections through a proxy take several steps and are made by the request.
      if (agent === tunnel?.agent) return;
      const open = agent.createConnection.bind(agent);
      const { hostname, port, protocol } = new URL(url);
      const host = hostname.replace(/^\[|\]$/g, '');
      const standardPort = protocol === 'https:' ? 443 : 80;
      const servername = isIP(host) === 0 ? host : '';
      const where = { host, port: port === '' ? standardPort : Number(port), servername };
      const socket = open(where);
      // The next request meets the same failure and reports it.
      socket?.on('error', () => socket.destroy());
      ahead = socket ?? null;
      agent.createConnection = (options, callback) => {
        const ready = ahead;
        ahead = null;
        return ready && !ready.destroyed ? ready : open(options, callback);
      };
    },
    close() {
      ahead?.destroy();
      plain.agent.destroy();
      secure?.agent.destroy();
      tunnel?.agent.destroy();
    },
  };
}

const isStream = (body: SendBody): body is AsyncIterable<Uint8Array> =>
  typeof body !== 'string' && !(body instanceof Uint8Array);

/** Sends a streamed body with backpressure; stops once the service has answered. */
async function pump(body: AsyncIterable<Uint8Array>, sent: ClientRequest): Promise<void> {
  for await (const chunk of body) {
    // A destroyed request emits nothing more, not even close; waiting would keep the body's file open.
    if (sent.destroyed) return;
    if (!sent.write(chunk)) {
      await new Promise<void>((resolve) => {
        const go = () => {
          sent.off('drain', go);
          sent.off('close', go);
          resolve();
        };
        sent.on('drain', go);
        sent.on('close', go);
      });
    }
    if (sent.destroyed) return;
  }
  sent.end();
}

function responseLike(message: IncomingMessage): ResponseLike {
  return {
    status: message.statusCode ?? 0,
    headers: {
      get(name) {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    body: message,
    async text() {
      const chunks: Buffer[] = [];
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}
