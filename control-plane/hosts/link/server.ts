// The WebSocket server for hosts, at {site_url}/link: authentication, and the current connection of each host.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Timer } from '../../../shared/clock.js';
import { CLOSE } from '../../../shared/protocol/index.js';
import { createSparseLog } from '../../../shared/sparse-log.js';
import { bearerToken } from '../../platform/http/bearer.js';
import { endSocket } from '../../platform/http/end-socket.js';
import { repeatedHeader } from '../../platform/http/single-headers.js';
import type { Wake } from '../../platform/wake.js';
import type { Hosts } from '../app/hosts.js';
import { type Connection, openConnection } from './connection.js';
import type { ConnectionDeps } from './connection-ports.js';
import { reportTwins } from './credential-conflicts.js';
import { createLargeInput } from './large-input.js';

export interface LinkSocketDeps extends Omit<ConnectionDeps, 'refusals' | 'address' | 'input'> {
  hosts: Pick<Hosts, 'authenticate' | 'disconnectAll' | 'recordConflict'> & ConnectionDeps['hosts'];
  wake: Pick<Wake, 'on'>;
  clientIp(request: { raw: IncomingMessage }): string;
}

/** Renewals are spread over their period in this many steps: those of a large fleet would hold the thread for seconds. */
const RENEWAL_STEPS = 60;

export type LinkSocket = ReturnType<typeof attachLinkSocket>;

/**
 * Answers upgrade requests for `/link` on `server`. A host without a valid credential is answered 401.
 *
 * @example
 * const link = attachLinkSocket(server, { hosts, builds, macs, wake, clock, realClock, limits, log });
 */
export function attachLinkSocket(server: Server, deps: LinkSocketDeps) {
  const { hosts, wake, realClock, limits, log } = deps;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.link_message_bytes,
    clientTracking: false,
  });
  const open = new Set<Connection>();
  /** How many are open, by host. */
  const counts = new Map<string, number>();
  const present = new Map<string, Connection>();
  const refusals = createSparseLog(realClock);
  const input = createLargeInput();
  let closed = false;

  const welcomed = (connection: Connection) => {
    const older = present.get(connection.hostId);
    present.set(connection.hostId, connection);
    if (older === undefined) return;
    older.close(CLOSE.replaced, 'the host has connected again');
    void older.ended.then((code) => {
      if (code !== CLOSE.replaced) return;
      reportTwins(deps, connection.hostId, [older.address, connection.address]).catch((error: unknown) =>
        log.error({ err: error, host_id: connection.hostId }, 'cannot record a conflict of credentials'),
      );
    });
  };

  const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const credential = bearerToken(request.headers.authorization);
    const host = credential === null ? null : await hosts.authenticate(credential);
    if (socket.destroyed) return;
    if (closed) return refuse(socket, 503, 'Service Unavailable', 'stopping');
    if (!host) return refuse(socket, 401, 'Unauthorized', 'the host is unknown or has been removed');
    const same = counts.get(host.hostId) ?? 0;
    if (same >= limits.link_connections) {
      return refuse(socket, 429, 'Too Many Requests', 'the host has too many connections');
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const address = deps.clientIp({ raw: request });
      const connection = openConnection(ws, host.hostId, { ...deps, refusals, address, input }, welcomed);
      open.add(connection);
      counts.set(host.hostId, (counts.get(host.hostId) ?? 0) + 1);
      void connection.ended.then(() => {
        open.delete(connection);
        const left = (counts.get(host.hostId) ?? 0) - 1;
        if (left > 0) counts.set(host.hostId, left);
        else counts.delete(host.hostId);
        if (present.get(host.hostId) === connection) present.delete(host.hostId);
      });
    });
  };

  const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => log.debug({ err: error }, 'the connection broke during the upgrade to a WebSocket'));
    const path = request.url?.split('?')[0];
    if (path !== '/link') return refuse(socket, 404, 'Not Found', 'no such address');
    const repeated = repeatedHeader(request.rawHeaders);
    if (repeated !== null) return refuse(socket, 400, 'Bad Request', `${repeated} is given more than once`);
    onUpgrade(request, socket, head).catch((error: unknown) => {
      log.error({ err: error }, 'cannot accept the connection of a host');
      refuse(socket, 503, 'Service Unavailable', 'try again later');
    });
  };
  server.on('upgrade', listener);

  const poke = (hostId: string) => {
    if (hostId === '') for (const connection of open) connection.poke();
    else present.get(hostId)?.poke();
  };
  const unsubscribe = wake.on('host', poke);

  let timer: Timer;
  let turn = open.values();
  const nextInTurn = (): Connection | undefined => {
    const next = turn.next();
    if (!next.done) return next.value;
    turn = open.values();
    return turn.next().value;
  };
  let due = 0;
  // Periodically renews live connections in the database. This also sends desired states whose wake-up was missed.
  const renewSome = () => {
    for (due += open.size; due >= RENEWAL_STEPS; due -= RENEWAL_STEPS) nextInTurn()?.renew();
    timer = realClock.setTimeout(renewSome, limits.link_renew_ms / RENEWAL_STEPS);
  };
  timer = realClock.setTimeout(renewSome, limits.link_renew_ms / RENEWAL_STEPS);

  return {
    /** Returns the hosts that are connected to this process now. */
    connectedHosts: (): string[] => [...present.keys()],
    /** Sends goodbye to every host and resolves when their connections have ended. */
    async close(): Promise<void> {
      closed = true;
      timer.cancel();
      unsubscribe();
      const ends = [...open].map((connection) => {
        connection.close(CLOSE.goingAway, 'the service is stopping');
        return connection.ended;
      });
      await Promise.all(ends);
      await input.close();
      server.off('upgrade', listener);
      sockets.close();
    },
  };
}

function refuse(socket: Duplex, status: number, phrase: string, message: string): void {
  const body = `${message}\n`;
  endSocket(
    socket,
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
