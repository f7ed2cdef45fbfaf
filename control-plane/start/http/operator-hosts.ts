// GET /v1/hosts and /v1/hosts/:host_id of the operator API.
import { z } from 'zod';
import type { Hosts } from '../../hosts/app/hosts.js';
import { hasLabels } from '../../hosts/domain/host-labels.js';
import { STATES, stateOf } from '../../hosts/domain/host-summary.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import { conditionsOfFleet, type Fleet, type FleetHost } from '../app/fleet.js';
import { findingView, fleetHostDetailShape, fleetHostShape, fleetView, linkView, slotView } from './fleet-view.js';

export interface OperatorHostDeps {
  readonly fleet: Fleet;
  readonly hosts: Pick<Hosts, 'recentLinks'>;
  readonly clock: { now(): number };
  readonly limits: Limits;
}

export function createOperatorHostRoutes(deps: OperatorHostDeps): AnyRoute[] {
  const { fleet, hosts, clock, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/hosts',
      operationId: 'listHosts',
      level: 'read',
      summary: 'Hosts with their slots and builds, in the order of their names',
      query: z.object({
        ...pageParams(limits),
        state: z.enum(STATES).optional(),
        tier: z.string().optional(),
        labels: labelsParam.optional(),
        hosts: hostsParam.optional(),
        q: z.string().max(100).optional().meta({ description: 'Part of a name, label, version or id' }),
      }),
      responses: {
        200: z
          .object({
            data: z.array(fleetHostShape),
            next_cursor: nextCursor,
            at: time.meta({ description: 'When this was read, by the clock of the service' }),
            counts: z
              .array(z.object({ state: z.enum(STATES), hosts: count }))
              .meta({ description: 'Number of hosts in each state and condition, regardless of the filter' }),
          })
          .meta({ id: 'FleetPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor } = query;
        const all = (await fleet.list()).sort(byName);
        const wanted = all.filter(isWanted(query));
        // Removed hosts keep their place in the order, so a page continues after one that is gone.
        const start = cursor === undefined ? 0 : wanted.findIndex(({ host }) => host.hostId === cursor.id) + 1;
        const { page, next } = pageOf(wanted.slice(start, start + limit + 1), limit, ({ host }) => ({
          at: 0,
          id: host.hostId,
        }));
        const now = clock.now();
        const data = page.map((one) => ({
          ...fleetView(one, now),
          slot_details: one.slots.map((slot) => slotView(slot, one.builds)),
        }));
        return { status: 200, body: { data, next_cursor: next, at: isoTime(now), counts: countsOf(all) } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/hosts/:host_id',
      operationId: 'getHost',
      level: 'read',
      summary: 'Everything about one host',
      params: z.object({ host_id: z.string() }),
      invalidParams: 'host_not_found',
      responses: { 200: fleetHostDetailShape },
      errors: ['host_not_found', 'invalid_request'],
      async handle({ params }) {
        const one = await fleet.show(params.host_id);
        const { host } = one;
        const links = await hosts.recentLinks(host.hostId);
        const now = clock.now();
        const body = {
          ...fleetView(one, now),
          slot_details: one.slots.map((slot) => slotView(slot, one.builds)),
          health_findings: host.health?.findings.map(findingView) ?? null,
          health_checked_at: isoTime(host.health?.checked_at ?? null),
          connections: links.map(linkView),
          disk_total_bytes: host.inventory?.disk_total_bytes ?? null,
          clock_skew_ms: host.clockSkewMs,
          connected_at: isoTime(host.connectedAt),
          enrolled_at: isoTime(host.createdAt),
          at: isoTime(now),
        };
        return { status: 200, body };
      },
    }),
  ];
}

const natural = new Intl.Collator('en', { numeric: true });
const byName = (a: FleetHost, b: FleetHost) =>
  natural.compare(a.host.name, b.host.name) || natural.compare(a.host.hostId, b.host.hostId);

const labelsParam = z
  .string()
  .transform((text, context) => {
    const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s));
    if (pairs.some(([key, value]) => !key || value === undefined)) context.addIssue('expected KEY=VALUE,…');
    return Object.fromEntries(pairs) as Record<string, string>;
  })
  .meta({ type: 'string', description: 'Only hosts with all of these labels: KEY=VALUE, separated by commas' });

const hostsParam = z
  .string()
  .transform((text) => new Set(text.split(',')))
  .meta({ type: 'string', description: 'Only hosts with these ids, separated by commas; removed ones too' });

interface Filter {
  readonly state?: string | undefined;
  readonly tier?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly hosts?: ReadonlySet<string> | undefined;
  readonly q?: string | undefined;
}

const isWanted =
  ({ state, tier, labels = {}, hosts, q }: Filter) =>
  (one: FleetHost): boolean => {
    const { host } = one;
    return (
      (hosts === undefined || hosts.has(host.hostId)) &&
      (state === undefined
        ? hosts !== undefined || host.status !== 'removed'
        : conditionsOfFleet(one).includes(state)) &&
      (tier === undefined || host.tier === tier) &&
      hasLabels(host.labels, labels) &&
      (q === undefined || textOf(host).includes(q.toLowerCase()))
    );
  };

const textOf = ({ name, hostId, agentVersion, labels }: FleetHost['host']) =>
  [name, hostId, agentVersion ?? '', ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)]
    .join('\n')
    .toLowerCase();

function countsOf(all: readonly FleetHost[]) {
  const counts = new Map<string, number>();
  for (const one of all) {
    for (const word of new Set([stateOf(one.host), ...conditionsOfFleet(one)])) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].map(([state, hosts]) => ({ state, hosts }));
}
