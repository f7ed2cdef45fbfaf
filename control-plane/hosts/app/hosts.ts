// Hosts as operators see them: state, settings and slots; also their enrolment and connections.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Host, type HostEvent, hostTransitions } from '../domain/host.js';
import * as rows from '../store/hosts.js';
import * as slotRows from '../store/slots.js';
import { createEnrolments } from './enrolments.js';
import { type HostsDeps, noSuchTier, wakeForHost } from './host-changes.js';
import { createHostConnections } from './host-connections.js';
import { createHostMoves } from './host-moves.js';
import { applySettings, fillSlots, type HostSettings } from './host-settings.js';
import { createHostUpgrades } from './host-upgrades.js';

/** Returns the host, even if removed, or null. */
export function findHost(q: Queries, hostId: string): Promise<Host | null> {
  return rows.findHost(q, hostId);
}

/** Returns all hosts, including removed ones. */
export function listHosts(q: Queries): Promise<Host[]> {
  return rows.listHosts(q);
}

export type Hosts = ReturnType<typeof createHosts>;

export function createHosts(deps: HostsDeps) {
  const { store, clock, wake } = deps;

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
      if (!(await rows.changeHostStatus(tx, { hostId, from: host.status, to, reason: null, by: null, now })))
        throw refused();
      wakeForHost(tx, wake, hostId);
      return { ...host, status: to };
    });

  return {
    ...createEnrolments(deps),
    ...createHostConnections(deps),
    ...createHostMoves(deps),
    ...createHostUpgrades(deps),

    list: (): Promise<Host[]> => rows.listHosts(store),

    get: (hostId: string): Promise<Host> => existing(store, hostId),

    slots: (hostId: string): Promise<slotRows.Slot[]> => slotRows.listSlots(store, hostId),

    change,

    /** Removes the host and its credential. Disconnects it at once if it is connected. */
    revoke: (hostId: string): Promise<Host> => change(hostId, 'remove'),

    /** @throws ApiError host_not_found, host_state, invalid_request, invalid_tier */
    async configure(hostId: string, settings: HostSettings): Promise<Host> {
      return store
        .transaction(async (tx) => {
          const host = await applySettings(tx, deps, await existing(tx, hostId), settings);
          wakeForHost(tx, wake, hostId);
          return host;
        })
        .catch(noSuchTier);
    },

    /** Adds slots until the host has at least `count`. */
    async ensureSlots(hostId: string, count: number): Promise<slotRows.Slot[]> {
      return store.transaction(async (tx) => {
        const host = await existing(tx, hostId);
        if (host.tier === null) throw new ApiError('host_state', { message: 'The host has no tier yet.' });
        await fillSlots(tx, clock, hostId, host.tier, Math.min(count, deps.limits.host_slots));
        wakeForHost(tx, wake, hostId);
        return slotRows.listSlots(tx, hostId);
      });
    },
  };
}
