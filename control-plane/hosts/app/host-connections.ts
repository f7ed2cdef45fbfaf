// Connections of hosts: the current connection of each host, and hosts that have been disconnected too long.
import type { HostHealth, Inventory } from '../../../shared/protocol/index.js';
import { within } from '../../platform/store/fence.js';
import type { Transaction } from '../../platform/store/sql.js';
import * as connectionRows from '../store/host-connections.js';
import { reopenLink } from '../store/host-links.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, wakeForHost } from './host-changes.js';
import { retireUnusableSlots } from './host-settings.js';

export interface HostState {
  inventory: Inventory;
  draining: boolean;
  /** Missing: the host has not run its checks since it last reported them. */
  health?: HostHealth | undefined;
  /** By how much its clock is ahead, ms; missing: unknown. */
  clockSkewMs?: number | undefined;
}

/** State of a connection: current, replaced by a newer one, or of a removed host. */
export type Standing = 'present' | 'replaced' | 'removed';

/** The host has connected again, maybe to another process: what comes by the older connection changes nothing. */
export class ConnectionReplacedError extends Error {}

export function createHostConnections({ store, clock, wake, limits, processes }: HostsDeps) {
  const began = clock.monotonic();
  const untilRunFor = (ms: number) => began + ms - clock.monotonic();
  /** Hosts that were connected just before this process started and have not reconnected yet. */
  const awaited = new Set<string>();
  const leftBehind = async (tx: Transaction) => {
    const hosts = await connectionRows.recordLeftBehind(tx, clock.now());
    for (const hostId of hosts) wakeForHost(tx, wake, hostId);
  };
  processes.whenGone(leftBehind);
  return {
    /** Returns the connection's identifier for `renew` and `disconnect`; null when the host has been removed. */
    connect(hostId: string, state: HostState & { agentVersion: string; protocol: number }): Promise<number | null> {
      return store.transaction(async (tx) => {
        const connection = await connectionRows.recordConnection(tx, {
          hostId,
          now: clock.now(),
          processId: processes.id,
          ...state,
        });
        await retireUnusableSlots(tx, clock, hostId, state.inventory.driver);
        wakeForHost(tx, wake, hostId);
        tx.onCommit(() => awaited.delete(hostId));
        return connection;
      });
    },

    async report(hostId: string, state: HostState): Promise<void> {
      await store.transaction(async (tx) => {
        await connectionRows.recordInventory(tx, hostId, state);
        tx.onCommit(() => {
          wake.wake('hosts', hostId);
          wake.wake('availability');
          wake.wake('scheduler');
        });
      });
    },

    /** Returns the state of the connection. Call it whenever the host may have changed. */
    async standing(hostId: string, connection: number): Promise<Standing> {
      const link = await connectionRows.findLink(store, hostId);
      if (link === null || link.status === 'removed') return 'removed';
      return link.connectedAt === connection ? 'present' : 'replaced';
    },

    /**
     * Runs `work` for a connection. With several processes none of its transactions does anything once the host has a newer
     * one; the only process closes the older one at once.
     *
     * @throws ConnectionReplacedError
     */
    during<T>(hostId: string, connection: number, work: () => Promise<T>): Promise<T> {
      if (!processes.several) return work();
      const gone = () => new ConnectionReplacedError('the host has connected again');
      return within({ holds: connectionRows.heldBy(hostId, connection), gone }, work);
    },

    /** Renews a live connection. Call it periodically. */
    async renew(hostId: string, connection: number): Promise<Standing> {
      const renewed = await store.transaction(async (tx) => {
        const before = await connectionRows.findLink(tx, hostId);
        const done = await connectionRows.renewConnection(tx, hostId, connection, clock.now());
        // It was recorded as disconnected meanwhile: its Macs are available again.
        if (done && before?.connected === false) {
          await reopenLink(tx, hostId, connection);
          wakeForHost(tx, wake, hostId);
        }
        return done;
      });
      if (renewed) return 'present';
      const link = await connectionRows.findLink(store, hostId);
      return link === null || link.status === 'removed' ? 'removed' : 'replaced';
    },

    async disconnect(hostId: string, connection: number): Promise<void> {
      await store.transaction(async (tx) => {
        await connectionRows.recordDisconnection(tx, hostId, connection, clock.now());
        tx.onCommit(() => wake.wake('hosts', hostId));
      });
    },

    /**
     * Records the hosts as disconnected that no process serves; called on startup. Those of a process that has died were
     * recorded when it was found to have died, and connect to any process.
     */
    async disconnectAll(): Promise<void> {
      if (processes.several) return store.transaction(leftBehind);
      await store.transaction(async (tx) => {
        const recently = clock.now() - limits.link_renew_ms;
        for (const { hostId, status, connected, lastSeenAt } of await rows.listHosts(tx)) {
          if (status === 'removed') continue;
          if (connected || (lastSeenAt !== null && lastSeenAt >= recently)) awaited.add(hostId);
        }
        await connectionRows.recordAllDisconnected(tx, clock.now());
      });
    },

    /**
     * Returns the number of hosts that were connected to the previous process and have not reconnected yet. Returns 0
     * `ready_hosts_wait_ms` after startup: the others may never reconnect.
     */
    awaited: (): number => (untilRunFor(limits.ready_hosts_wait_ms) > 0 ? awaited.size : 0),

    /**
     * Returns the hosts whose running builds and Macs are lost: removed hosts, and hosts that were disconnected for
     * `host_lost_after_ms`. No host counts as disconnected too long until this process has run that long.
     */
    async lost(): Promise<{ removed: string[]; away: string[] }> {
      const patience = limits.host_lost_after_ms;
      const { removed, away } = await connectionRows.lostHosts(store, clock.now() - patience);
      return { removed, away: untilRunFor(patience) > 0 ? [] : away };
    },

    /** Returns when the next disconnected host will count as lost, in ms; null when none is disconnected. */
    async nextLossAt(): Promise<number | null> {
      const [since, patience] = [await connectionRows.oldestAbsence(store), limits.host_lost_after_ms];
      return since === null ? null : Math.max(clock.now() + untilRunFor(patience), since + patience);
    },
  };
}
