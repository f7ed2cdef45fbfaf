import { IncomingMessage } from 'node:http';

/** Addresses that offer a WebSocket. */
const WEBSOCKETS: ReadonlySet<string> = new Set(['/link']);

/**
 * A request that only asks for an upgrade if it asks for a WebSocket where one is offered. A server ignores other upgrades and
 * answers the request as usual (RFC 9110, section 7.8): `Upgrade: h2c` of curl --http2 and Java's client. Node does so on a
 * server without listeners of `upgrade`; on one that has some, it passes every upgrade to them and reads no request.
 *
 * @example http.createServer({ IncomingMessage: RequestOrWebSocket }).on('upgrade', …)
 */
export class RequestOrWebSocket extends IncomingMessage {
  /** What Node's parser found. Its constructor sets it, so it has no initial value here. */
  declare asksForUpgrade: boolean | null;

  /** Read by Node once the address and the headers are there. */
  get upgrade(): boolean | null {
    if (!this.asksForUpgrade || this.method === 'CONNECT') return this.asksForUpgrade;
    return asksForWebSocket(this.headers.upgrade) && WEBSOCKETS.has(this.url?.split('?')[0] ?? '');
  }

  set upgrade(found: boolean | null) {
    this.asksForUpgrade = found;
  }
}

const asksForWebSocket = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');
