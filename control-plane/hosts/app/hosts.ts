// Hosts as operators see them: state, settings and slots; also their enrolment and connections.
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Host } from '../domain/host.js';
import { differences, type HostChange } from '../domain/host-change.js';
import { refusedChange } from '../domain/host-refusal.js';
import { type HostLink, listLinks } from '../store/host-links.js';
import * as rows from '../store/hosts.js';
import * as slotRows from '../store/slots.js';
import { createApprovals } from './approvals.js';
import { createEnrolments } from './enrolments.js';
import { type HostsDeps, naming, noSuchTier, wakeForHost } from './host-changes.js';
import { createHostConflicts } from './host-conflicts.js';
import { createHostConnections } from './host-connections.js';
import { createHostMoves } from './host-moves.js';
import { findHostNamed, type HostSelection, selectHosts } from './host-selector.js';
import { applySettings, fillSlots, type HostSettings } from './host-settings.js';
import { createHostStates } from './host-states.js';
import { createHostUpgrades } from './host-upgrades.js';

export { hostsOfProcess } from '../store/host-connections.js';
export { findHost, listHosts } from '../store/hosts.js';

export type Hosts = ReturnType<typeof createHosts>;

export function createHosts(deps: HostsDeps) {
  const { store, clock, wake } = deps;

  const existing = async (q: Queries, hostId: string): Promise<Host> => {
    const host = await rows.findHost(q, hostId);
    if (!host) throw new ApiError('host_not_found');
    return host;
  };

  return {
    ...createEnrolments(deps),
    ...createApprovals(deps),
    ...createHostConnections(deps),
    ...createHostConflicts(deps),
    ...createHostMoves(deps),
    ...createHostUpgrades(deps),
    ...createHostStates(deps),

    list: (): Promise<Host[]> => rows.listHosts(store),

    get: (hostId: string): Promise<Host> => existing(store, hostId),

    /** Returns a host by id or name. Throws host_not_found, invalid_request if several hosts have the name. */
    named: (ref: string): Promise<Host> => findHostNamed(store, ref),

    select: (selection: HostSelection): Promise<Host[]> => selectHosts(store, selection),

    /** Returns the last connections of a host, the newest first. */
    recentLinks: (hostId: string): Promise<HostLink[]> => listLinks(store, hostId),

    slots: (hostId: string): Promise<slotRows.Slot[]> => slotRows.listSlots(store, hostId),

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

    /** Applies the settings to all selected hosts, or to none. `done` runs in the transaction. */
    configureAll(
      selection: HostSelection,
      settings: HostSettings,
      done?: InTransaction<readonly HostChange[]>,
    ): Promise<HostChange[]> {
      return store
        .transaction(async (tx) => {
          const selected = await selectHosts(tx, selection);
          const slotsBefore = await slotRows.countSlots(tx);
          const applied: [Host, Host][] = [];
          for (const before of selected) {
            const host = await applySettings(tx, deps, before, settings).catch(
              naming(selected.length > 1 ? before : null),
            );
            wakeForHost(tx, wake, host.hostId);
            applied.push([before, host]);
          }
          const slotsNow = await slotRows.countSlots(tx);
          const changes = applied.map(([before, host]) => ({
            host,
            changes: differences(
              { ...before, slots: slotsBefore.get(host.hostId)?.total ?? 0 },
              { ...host, slots: slotsNow.get(host.hostId)?.total ?? 0 },
            ),
            leftOut: null,
          }));
          await done?.(tx, changes);
          return changes;
        })
        .catch(noSuchTier);
    },

    /** Adds slots until the host has at least `count`. */
    async ensureSlots(hostId: string, count: number): Promise<slotRows.Slot[]> {
      return store.transaction(async (tx) => {
        const host = await existing(tx, hostId);
        if (host.tier === null) throw refusedChange(hostRefusal('no_tier'));
        await fillSlots(tx, clock, hostId, host.tier, Math.min(count, deps.limits.host_slots));
        wakeForHost(tx, wake, hostId);
        return slotRows.listSlots(tx, hostId);
      });
    },
  };
}
