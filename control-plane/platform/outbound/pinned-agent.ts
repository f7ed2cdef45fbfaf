// Kept connections by origin and checked address. A connection to any other address is closed before anything is sent.
import { Agent, type RequestOptions } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isSameAddress } from './public-address.js';
import { hostOf } from './public-url.js';

/** A request whose agent is a {@link createPinnedAgent}. */
export interface PinnedRequest extends RequestOptions {
  /** The host is used for SNI and the check of the certificate only. */
  readonly origin: string;
  /** The address to connect to. */
  readonly address: string;
}

/** Shorter than the keep-alive of nearly all servers, so that a reused connection is rarely closed already. */
const KEEP_ALIVE_MS = 2_000;
/** TLS sessions that are kept to be resumed. */
const SESSIONS = 1_024;

/**
 * The agent for `node:http` that connects where a {@link PinnedRequest} says, with TLS for https origins.
 *
 * @param ca trusted certificates, instead of those of the system
 */
export function createPinnedAgent({ ca }: { ca?: string | undefined }): Agent {
  const sessions = new Map<string, Buffer>();
  const keep = (name: string, session: Buffer) => {
    sessions.delete(name);
    sessions.set(name, session);
    const [oldest] = sessions.keys();
    if (sessions.size > SESSIONS && oldest !== undefined) sessions.delete(oldest);
  };
  const secure = (name: string, host: string, to: { host: string; port: number }): Socket => {
    const session = sessions.get(name);
    const socket = connectTls({
      ...to,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) > 0 ? {} : { servername: host }),
      ...(session === undefined ? {} : { session }),
      ...(ca === undefined ? {} : { ca }),
    });
    socket.on('session', (ticket: Buffer) => keep(name, ticket));
    // A session that the server does not take must not be offered again.
    socket.on('error', () => sessions.delete(name));
    return socket;
  };
  class PinnedAgent extends Agent {
    override getName(request?: RequestOptions): string {
      const { origin, address } = request as PinnedRequest;
      return `${origin} ${address}`;
    }
    override createConnection(request: RequestOptions): Socket {
      const { origin, address } = request as PinnedRequest;
      const url = new URL(origin);
      const isSecure = url.protocol === 'https:';
      const to = { host: address, port: Number(url.port || (isSecure ? 443 : 80)) };
      const socket = isSecure ? secure(this.getName(request), hostOf(url), to) : connect(to);
      socket.setNoDelay(true);
      // The request is written by a later listener.
      socket.once('connect', () => {
        if (isSameAddress(socket.remoteAddress ?? '', address)) return;
        socket.destroy(new Error('connected to another address than was checked'));
      });
      return socket;
    }
  }
  return new PinnedAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS, scheduling: 'lifo' });
}
