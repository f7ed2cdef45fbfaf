// Connections of hosts: which one is a host's present one, and which hosts have been away too long.
import type { Inventory } from '../../../shared/protocol/index.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, wakeForHost } from './host-changes.js';

export interface HostState {
  inventory: Inventory;
  draining: boolean;
}

/** What a connection of a host may hear about itself. */
export type Standing = 'present' | 'replaced' | 'removed';

export function createHostConnections({ store, clock, wake, limits }: HostsDeps) {
  const began = clock.now();
  /** Hosts that were connected just before this process started, and have not come back yet. */
  const awaited = new Set<string>();
  return {
    /** Answers the name of the connection for `renew` and `disconnect`; null when the host has been removed. */
    connect(
      hostId: string,
      state: HostState & { agentVersion: string; protocol: number },
    ): Promise<number | null> {
      return store.transaction(async (tx) => {
        const connection = await rows.recordConnection(tx, { hostId, now: clock.now(), ...state });
        wakeForHost(tx, wake, hostId);
        tx.onCommit(() => awaited.delete(hostId));
        return connection;
      });
    },

    async report(hostId: string, { inventory, draining }: HostState): Promise<void> {
      await store.transaction(async (tx) => {
        await rows.recordInventory(tx, hostId, inventory, draining);
        tx.onCommit(() => {
          wake.wake('hosts', hostId);
          wake.wake('availability');
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
        if (done && before?.connected === false) wakeForHost(tx, wake, hostId);
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
  };
}
