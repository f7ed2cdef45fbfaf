// What operators do with hosts: take them into service, out of service, and remove them.

import { cleanText } from '../../../shared/clean-text.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import type { Message } from '../../../shared/messages/message.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type Host, type HostEvent, hostTransitions } from '../domain/host.js';
import { differences, type HostChange } from '../domain/host-change.js';
import { refusedChange, refusedChanges } from '../domain/host-refusal.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, noSuchTier, wakeForHost } from './host-changes.js';
import { findHostNamed, type HostSelection, selectHosts } from './host-selector.js';
import { applySettings } from './host-settings.js';

export interface StateChange {
  /** Replaces the reason that the host has. */
  readonly reason?: string | undefined;
  /** The operator. */
  readonly by?: string | undefined;
}

export const LONGEST_REASON = 200;

export function createHostStates({ store, clock, wake, limits }: HostsDeps) {
  const apply = async (
    tx: Transaction,
    host: Host,
    event: HostEvent,
    { reason = null, by = null }: { reason?: string | null; by?: string | null },
  ): Promise<Host> => {
    const { hostId } = host;
    const to = hostTransitions[host.status][event];
    const refusal = refusalOf(host, event);
    if (refusal !== null) throw refusedChange(refusal);
    if (to === null) throw new ApiError('host_state');
    const now = clock.now();
    const kept = { statusBy: by, statusAt: now };
    if (to === host.status) {
      // Repeating a command changes nothing, unless the reason is another one.
      if (reason === null || reason === host.reason) return host;
      await rows.setHostReason(tx, hostId, { reason, by, now });
      return { ...host, ...kept, reason };
    }
    const next = event === 'undrain' || event === 'approve' ? null : (reason ?? host.reason);
    const change = { hostId, from: host.status, to, reason: next, by, now };
    if (!(await rows.changeHostStatus(tx, change))) throw new ApiError('host_state');
    wakeForHost(tx, wake, hostId);
    return { ...host, ...kept, status: to, reason: next };
  };

  const change = (ref: string, event: HostEvent, by?: string): Promise<Host> =>
    store.transaction(async (tx) => apply(tx, await findHostNamed(tx, ref), event, { by: by ?? null }));

  return {
    /** Changes one host, by id or name. Throws host_not_found, host_state. */
    change,

    /**
     * Takes a pending host into service, with the tier if one is given. `done` runs in the transaction.
     *
     * @param ref id or name
     * @throws ApiError host_not_found, host_state, invalid_tier, invalid_request
     */
    async approveHost(
      ref: string,
      { tier, by }: { readonly tier?: string | undefined; readonly by?: string | undefined },
      done?: InTransaction<Host>,
    ): Promise<Host> {
      return store
        .transaction(async (tx) => {
          const found = await findHostNamed(tx, ref);
          const sold = tier === undefined ? found : await applySettings(tx, { clock, limits }, found, { tier });
          const host = await apply(tx, sold, 'approve', { by: by ?? null });
          if (tier !== undefined) wakeForHost(tx, wake, host.hostId);
          await done?.(tx, host);
          return host;
        })
        .catch(noSuchTier);
    },

    /** Removes the host and its credential. Disconnects it at once if it is connected. */
    revoke: (hostId: string): Promise<Host> => change(hostId, 'remove'),

    /**
     * Changes all selected hosts or none. Hosts that were not selected by name are left out if they cannot change. `done`
     * runs in the transaction.
     *
     * @throws ApiError host_not_found, host_state (with a sentence for each host that cannot change), invalid_request
     */
    async changeAll(
      selection: HostSelection,
      event: HostEvent,
      { reason, by }: StateChange = {},
      done?: InTransaction<readonly HostChange[]>,
    ): Promise<HostChange[]> {
      const given = { reason: reason === undefined ? null : checkedReason(reason), by: by ?? null };
      return store.transaction(async (tx) => {
        const selected = await selectHosts(tx, selection);
        const refusals = selected.map((host) => refusalOf(host, event));
        const byName = (selection.hosts ?? []).length > 0;
        const fail = byName ? refusals.some((one) => one !== null) : refusals.every((one) => one !== null);
        if (fail) throw refusedChanges(selected, refusals);
        const changes: HostChange[] = [];
        for (const [i, before] of selected.entries()) {
          const leftOut = refusals[i] ?? null;
          const host = leftOut === null ? await apply(tx, before, event, given) : before;
          changes.push({ host, changes: differences(before, host), leftOut });
        }
        await done?.(tx, changes);
        return changes;
      });
    },
  };
}

/** Returns why the host cannot change so, and what to do; null if it can. */
function refusalOf({ status, tier }: Host, event: HostEvent): Message | null {
  if (hostTransitions[status][event] === null) {
    return status === 'pending' || status === 'removed'
      ? hostRefusal(status)
      : hostRefusal('approved_already', { status });
  }
  return event === 'approve' && tier === null ? hostRefusal('tier_needed') : null;
}

function checkedReason(reason: string): string {
  const clean = cleanText(reason, Number.MAX_SAFE_INTEGER);
  if (clean !== '' && clean.length <= LONGEST_REASON) return clean;
  const problem = clean === '' ? fieldProblem('required') : fieldProblem('too_long', { most: LONGEST_REASON });
  throw fieldError('invalid_request', 'reason', problem);
}
