// Limits connections: per address until a caller is authenticated on them, then per key, person or host.
//
// Clients share the connections of a trusted proxy, so requests in flight are counted instead. Loopback addresses have
// no limit: all clients have one behind a local proxy that is not configured as trusted.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressRanges, clientBlock, compileRanges, normalizeAddress } from '../domain/cidr.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SharedSightings } from '../domain/shared-state.js';
import { whenOver } from './when-over.js';

const RETRY_S = 5;

/** One connection, or one request of a shared connection. Null: not counted. */
interface Slot {
  name: string | null;
  /** No longer counted, e.g. when a key is looked up after its connection has closed. */
  over: boolean;
}

export interface ConnectionSlotsDeps {
  readonly limits: Pick<Limits, 'connections_per_address' | 'connections_per_key'>;
  /** Proxies whose connections are shared; null: none. */
  readonly trusted: AddressRanges | null;
  clientIp(request: FastifyRequest): string;
  /** Addresses without a limit. Default: loopback. */
  readonly exempt?: AddressRanges;
  /** Where processes tell each other what they have; null: this process counts by itself. */
  readonly shared?: SharedSightings | null;
}

/** Other processes are told of a name that has reached this part of its limit: nearly all names stay far below. */
const TOLD_FROM = 1 / 16;

export function createConnectionSlots(deps: ConnectionSlotsDeps) {
  const { limits, trusted, exempt = compileRanges(['127.0.0.0/8', '::1/128']), shared = null } = deps;
  const counts = new Map<string, number>();
  const ofSocket = new WeakMap<Socket, Slot>();
  const ofRequest = new WeakMap<IncomingMessage, Slot>();
  /** Connections beyond the limit of their address: their first request is refused, then they are closed. */
  const refused = new WeakSet<Socket>();
  /** Connections of this machine. */
  const local = new WeakSet<Socket>();

  /** Names that others were told of. */
  const told = new Set<string>();
  const change = (name: string, by: 1 | -1) => {
    const count = (counts.get(name) ?? 0) + by;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
    if (shared === null) return;
    const isMany = count >= mostOf(name) * TOLD_FROM;
    if (!isMany && !told.has(name)) return;
    shared.set(name, isMany ? count : 0);
    if (isMany) told.add(name);
    else told.delete(name);
  };
  const mostOf = (name: string) =>
    /^(?:address|refused) /.test(name) ? limits.connections_per_address : limits.connections_per_key;
  const countOf = (name: string) => (counts.get(name) ?? 0) + (shared?.elsewhere(name) ?? 0);

  /** Counts the slot towards `name`. Returns false and changes nothing if `name` already has `most`. */
  const move = (slot: Slot, name: string | null, most: number): boolean => {
    if (slot.name === name || slot.over) return true;
    if (name !== null && countOf(name) >= most) return false;
    if (slot.name !== null) change(slot.name, -1);
    if (name !== null) change(name, 1);
    slot.name = name;
    return true;
  };
  const free = (slot: Slot) => {
    move(slot, null, 0);
    slot.over = true;
  };

  const slotOf = (request: FastifyRequest, reply: FastifyReply): Slot => {
    const existing = ofSocket.get(request.raw.socket) ?? ofRequest.get(request.raw);
    if (existing) return existing;
    const slot: Slot = { name: null, over: false };
    ofRequest.set(request.raw, slot);
    whenOver(request, reply, () => free(slot));
    return slot;
  };

  return {
    /** Counts a new connection. Closes it immediately if its address has twice its limit. */
    connected(socket: Socket): void {
      const ip = normalizeAddress(socket.remoteAddress ?? '');
      if (ip === '' || trusted?.includes(ip)) return;
      if (exempt.includes(ip)) return void local.add(socket);
      const slot: Slot = { name: null, over: false };
      const block = clientBlock(ip);
      const most = limits.connections_per_address;
      if (!move(slot, `address ${block}`, most)) {
        refused.add(socket);
        if (!move(slot, `refused ${block}`, most)) return void socket.destroy();
      }
      ofSocket.set(socket, slot);
      socket.once('close', () => free(slot));
    },

    /** @throws ApiError rate_limited if the client's address has too many connections */
    arrived(request: FastifyRequest, reply: FastifyReply): void {
      const { socket } = request.raw;
      if (local.has(socket) || (ofSocket.has(socket) && !refused.has(socket))) return;
      const ip = deps.clientIp(request);
      if (exempt.includes(ip)) return;
      const most = limits.connections_per_address;
      if (!move(slotOf(request, reply), `address ${clientBlock(ip)}`, most)) {
        throw tooMany(`connections are open from the address ${ip}`, most);
      }
      refused.delete(socket);
    },

    /**
     * Counts the connection towards a key, person or host from now on.
     *
     * @param name null for a connection that is not counted
     * @throws ApiError rate_limited if it has too many
     */
    known(request: FastifyRequest, reply: FastifyReply, name: string | null): void {
      const most = limits.connections_per_key;
      if (!move(slotOf(request, reply), name, most)) throw tooMany('connections of this key are open', most);
    },

    /** Stops counting a connection that is no longer HTTP. */
    upgraded(socket: Socket): void {
      const slot = ofSocket.get(socket);
      if (slot) free(slot);
    },

    /** Returns whether to close the connection because its address has too many. */
    isRefused: (socket: Socket): boolean => refused.has(socket),
  };
}

const tooMany = (what: string, most: number) =>
  new ApiError('rate_limited', {
    message: `Too many ${what} (limit: ${most}); close some, or wait until they end.`,
    detail: { limit: 'connections' },
    retryAfterS: RETRY_S,
  });
