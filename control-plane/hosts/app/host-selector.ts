// The hosts that a command of an operator is about.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Host } from '../domain/host.js';
import { hasLabels, type Labels } from '../domain/host-labels.js';
import * as rows from '../store/hosts.js';

/** Exactly one of these; an empty list or record counts as absent. */
export interface HostSelection {
  /** Ids, or names of single hosts. */
  readonly hosts?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
  readonly tier?: string | undefined;
  /** Hosts that have all of these. */
  readonly labels?: Labels | undefined;
}

/**
 * Returns the selected hosts, each once, in the order of enrolment. Removed hosts are found only by id or name.
 *
 * @throws ApiError host_not_found if one is not found or nothing is selected; invalid_request if none or more than one
 * of the ways to select is used, or if a name is that of several hosts
 * @example await selectHosts(tx, { labels: { rack: '3' } })
 */
export async function selectHosts(q: Queries, selection: HostSelection): Promise<Host[]> {
  const { hosts: refs = [], all = false, tier, labels = {} } = selection;
  const byLabels = Object.keys(labels).length > 0;
  const ways = [refs.length > 0, all, tier !== undefined, byLabels].filter(Boolean).length;
  if (ways !== 1) {
    const message =
      ways === 0
        ? 'Name the hosts in `hosts`, or select them with `all`, `tier` or `labels`.'
        : 'Send only one of `hosts`, `all`, `tier` and `labels`.';
    const problem = fieldProblem(ways === 0 ? 'one_of_needed' : 'exactly_one', { names: 'hosts, all, tier, labels' });
    throw fieldError('invalid_request', 'hosts', problem, { message });
  }
  const everyHost = await rows.listHosts(q);
  if (refs.length > 0) {
    const wanted = new Set(refs.map((ref) => hostNamed(everyHost, ref)));
    return everyHost.filter((host) => wanted.has(host));
  }
  const found = everyHost.filter(
    (host) => host.status !== 'removed' && (tier === undefined || host.tier === tier) && hasLabels(host.labels, labels),
  );
  if (found.length === 0) throw new ApiError('host_not_found', { message: 'No host matches the selection.' });
  return found;
}

/**
 * Returns the host with this id, or else the only one with this name; a removed host only if no other has the name.
 *
 * @throws ApiError host_not_found; invalid_request if several hosts have the name
 */
export function hostNamed(hosts: readonly Host[], ref: string): Host {
  const byId = hosts.find(({ hostId }) => hostId === ref);
  if (byId) return byId;
  const named = hosts.filter(({ name }) => name === ref);
  const present = named.filter(({ status }) => status !== 'removed');
  const [host, ...others] = present.length > 0 ? present : named;
  if (!host) throw new ApiError('host_not_found', { message: `No host has the id or name "${ref}".` });
  if (others.length > 0) {
    const ids = [host, ...others].map(({ hostId }) => hostId).join(', ');
    throw fieldError('invalid_request', 'hosts', fieldProblem('several_hosts', { value: ref, ids }), {
      message: `Several hosts are called "${ref}": ${ids}. Use the id.`,
    });
  }
  return host;
}

/** Finds one host by id or name; see hostNamed. */
export async function findHostNamed(q: Queries, ref: string): Promise<Host> {
  return (await rows.findHost(q, ref)) ?? hostNamed(await rows.listHosts(q), ref);
}
