// Hosts: enrolment, credential, connection, state and slots.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import type { EnrolRequest, EnrolResponse, Inventory } from '../../../shared/protocol/index.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { ConstraintError, type Queries, type Store, type Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { type Host, type HostEvent, hostTransitions } from '../domain/host.js';
import * as rows from '../store/hosts.js';
import { applySettings, checkSlots, fillSlots, type HostSettings, MAX_SLOTS } from './host-settings.js';

export interface HostsDeps {
  store: Store;
  clock: Clock;
  wake: Wake;
  limits: Pick<Limits, 'enrolment_ms' | 'host_lost_after_ms' | 'link_renew_ms' | 'ready_hosts_wait_ms'>;
}

export interface EnrolmentRequest {
  /** Otherwise the machine's own name. */
  name?: string | undefined;
  /** Without a tier the host waits for an operator's approval. */
  tier?: string | undefined;
  /** Macs that the host may hold at a time, 1 to 128. */
  slots: number;
}

export interface HostState {
  inventory: Inventory;
  draining: boolean;
}

/** What a connection of a host may hear about itself. */
export type Standing = 'present' | 'replaced' | 'removed';

/** Returns the host, or null; one that was removed is found. */
export function findHost(q: Queries, hostId: string): Promise<Host | null> {
  return rows.findHost(q, hostId);
}

/** Returns every host, the removed ones too. */
export function listHosts(q: Queries): Promise<Host[]> {
  return rows.listHosts(q);
}

export type Hosts = ReturnType<typeof createHosts>;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const secret = (prefix: string) => prefix + randomBytes(32).toString('base64url');

export function createHosts({ store, clock, wake, limits }: HostsDeps) {
  const began = clock.now();
  /** Hosts that were connected just before this process started, and have not come back yet. */
  const awaited = new Set<string>();
  const changed = (tx: Transaction, hostId: string) =>
    tx.onCommit(() => {
      wake.wake('host', hostId);
      wake.wake('hosts', hostId);
      wake.wake('stock');
      wake.wake('scheduler');
    });

  const existing = async (q: Queries, hostId: string): Promise<Host> => {
    const host = await rows.findHost(q, hostId);
    if (!host) throw new ApiError('host_not_found');
    return host;
  };

  const change = (hostId: string, event: HostEvent): Promise<Host> =>
    store.transaction(async (tx) => {
      const host = await existing(tx, hostId);
      const to = hostTransitions[host.status][event];
      const refused = () =>
        new ApiError('host_state', { message: `A host that is ${host.status} cannot ${event}.` });
      if (to === null) throw refused();
      if (event === 'approve' && host.tier === null) {
        throw new ApiError('host_state', { message: 'Set the tier of the host first.' });
      }
      if (to === host.status) return host;
      const now = clock.now();
      if (!(await rows.changeHostStatus(tx, { hostId, from: host.status, to, now }))) throw refused();
      changed(tx, hostId);
      return { ...host, status: to };
    });

  return {
    /**
     * Makes a one-time token with which a machine can become a host.
     *
     * @example
     * const { token } = await hosts.createEnrolment({ tier: 'm2', slots: 2 });
     * // on the Mac, with the token on standard input: cidermill host-agent enroll --url https://macs.example
     */
    async createEnrolment(request: EnrolmentRequest): Promise<{ token: string; expires_at: string }> {
      checkSlots(request.slots);
      const token = secret('cme_');
      const now = clock.now();
      const expiresAt = now + limits.enrolment_ms;
      await store
        .transaction((tx) =>
          rows.insertEnrolment(tx, {
            tokenHash: sha256(token),
            name: request.name ?? null,
            tier: request.tier ?? null,
            slots: request.slots,
            expiresAt,
            now,
          }),
        )
        .catch(noSuchTier);
      return { token, expires_at: new Date(expiresAt).toISOString() };
    },

    /** Exchanges a token for a host and its credential. Of two that send the same token one gets a host. */
    enrol({ token, hostname }: EnrolRequest): Promise<EnrolResponse> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const tokenHash = sha256(token);
        const enrolment = await rows.findEnrolment(tx, tokenHash, now);
        if (!enrolment) throw new ApiError('invalid_enrolment_token');
        const { tier, slots } = enrolment;
        const hostId = newId('host');
        const credential = secret('cmh_');
        const name = enrolment.name ?? hostname;
        const status = tier === null ? 'pending' : 'active';
        await rows.insertHost(tx, { hostId, name, tier, credentialHash: sha256(credential), status, now });
        if (tier !== null) await fillSlots(tx, clock, hostId, tier, slots);
        const used = await rows.useEnrolment(tx, tokenHash, hostId, now);
        if (!used) throw new ApiError('invalid_enrolment_token');
        changed(tx, hostId);
        return { host_id: hostId, name, credential };
      });
    },

    /** The host that a credential belongs to; null when there is none or it has been removed. */
    authenticate(credential: string): Promise<Host | null> {
      return rows.findHostByCredential(store, sha256(credential));
    },

    /** Answers the name of the connection for `renew` and `disconnect`; null when the host has been removed. */
    connect(
      hostId: string,
      state: HostState & { agentVersion: string; protocol: number },
    ): Promise<number | null> {
      return store.transaction(async (tx) => {
        const connection = await rows.recordConnection(tx, { hostId, now: clock.now(), ...state });
        changed(tx, hostId);
        tx.onCommit(() => awaited.delete(hostId));
        return connection;
      });
    },

    async report(hostId: string, { inventory, draining }: HostState): Promise<void> {
      await store.transaction(async (tx) => {
        await rows.recordInventory(tx, hostId, inventory, draining);
        tx.onCommit(() => {
          wake.wake('hosts', hostId);
          wake.wake('stock');
          wake.wake('scheduler');
        });
      });
    },

    /** To be asked whenever the host may have changed. */
    async standing(hostId: string, connection: number): Promise<Standing> {
      const host = await rows.findHost(store, hostId);
      if (host === null || host.status === 'removed') return 'removed';
      return host.connectedAt === connection ? 'present' : 'replaced';
    },

    /** To be called now and then for a live connection. */
    async renew(hostId: string, connection: number): Promise<Standing> {
      const renewed = await store.transaction(async (tx) => {
        const before = await rows.findHost(tx, hostId);
        const done = await rows.renewConnection(tx, hostId, connection, clock.now());
        // Something else recorded it as away: its Macs can be used again.
        if (done && before?.connected === false) changed(tx, hostId);
        return done;
      });
      if (renewed) return 'present';
      const host = await rows.findHost(store, hostId);
      return host === null || host.status === 'removed' ? 'removed' : 'replaced';
    },

    async disconnect(hostId: string, connection: number): Promise<void> {
      await store.transaction(async (tx) => {
        await rows.recordDisconnection(tx, hostId, connection, clock.now());
        tx.onCommit(() => wake.wake('hosts', hostId));
      });
    },

    /**
     * For the start of the process that holds the links. Another process beside it, if there is one, renews
     * its own connections within a minute, long before a host counts as lost.
     */
    async disconnectAll(): Promise<void> {
      await store.transaction(async (tx) => {
        const recently = clock.now() - limits.link_renew_ms;
        for (const { hostId, status, connected, lastSeenAt } of await rows.listHosts(tx)) {
          if (status === 'removed') continue;
          if (connected || (lastSeenAt !== null && lastSeenAt >= recently)) awaited.add(hostId);
        }
        await rows.recordAllDisconnected(tx, clock.now());
      });
    },

    /**
     * How many hosts that were connected when the process before this one ended have not connected to this one yet. 0
     * when `ready_hosts_wait_ms` is over: those may stay away.
     */
    awaited: (): number => (clock.now() - began < limits.ready_hosts_wait_ms ? awaited.size : 0),

    /**
     * Hosts whose running builds, and Macs, have to be given up: removed ones, and those that stayed away too long. No host is
     * blamed for being away before this process, which it could not reach, has run that long itself.
     */
    async lost(): Promise<{ removed: string[]; away: string[] }> {
      const patience = limits.host_lost_after_ms;
      const { removed, away } = await rows.lostHosts(store, clock.now() - patience);
      return { removed, away: clock.now() - began < patience ? [] : away };
    },

    /** When the next of the hosts that are away now would be lost, ms; null when none is. */
    async nextLossAt(): Promise<number | null> {
      const since = await rows.oldestAbsence(store);
      return since === null ? null : Math.max(began, since) + limits.host_lost_after_ms;
    },

    list: (): Promise<Host[]> => rows.listHosts(store),

    get: (hostId: string): Promise<Host> => existing(store, hostId),

    slots: (hostId: string): Promise<rows.Slot[]> => rows.listSlots(store, hostId),

    change,

    /** Removes the host and its credential: when connected it is disconnected at once. */
    revoke: (hostId: string): Promise<Host> => change(hostId, 'remove'),

    /** @throws ApiError host_not_found, host_state, invalid_request, invalid_tier */
    async configure(hostId: string, settings: HostSettings): Promise<Host> {
      return store
        .transaction(async (tx) => {
          const host = await applySettings(tx, clock, await existing(tx, hostId), settings);
          changed(tx, hostId);
          return host;
        })
        .catch(noSuchTier);
    },

    /** Makes sure that the host has at least `count` slots. */
    async ensureSlots(hostId: string, count: number): Promise<rows.Slot[]> {
      return store.transaction(async (tx) => {
        const host = await existing(tx, hostId);
        if (host.tier === null) throw new ApiError('host_state', { message: 'The host has no tier yet.' });
        await fillSlots(tx, clock, hostId, host.tier, Math.min(count, MAX_SLOTS));
        changed(tx, hostId);
        return rows.listSlots(tx, hostId);
      });
    },
  };
}

function noSuchTier(error: unknown): never {
  if (error instanceof ConstraintError) throw new ApiError('invalid_tier', { cause: error });
  throw error;
}
