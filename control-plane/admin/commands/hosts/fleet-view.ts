// The JSON of `host list` and `host show`.
import { problemsOf, worstOf } from '../../../hosts/domain/health.js';
import { moveText } from '../../../hosts/domain/host-move.js';
import { conditionsOf, stateOf, whyOf } from '../../../hosts/domain/host-summary.js';
import type { HostLink } from '../../../hosts/store/host-links.js';
import type { FleetHost, FleetSlot, RunningBuild } from '../../../start/app/fleet.js';
import { isTaken, xcodesText } from './columns.js';
import { isoTime, view } from './view.js';

export function fleetView({ host, slots, builds }: FleetHost, now: number) {
  const { inventory, health } = host;
  return {
    ...view(host),
    ...{ state: stateOf(host), conditions: conditionsOf(host), why: whyOf(host, now) },
    ...{ slots: slots.length, slots_taken: slots.filter(isTaken).length },
    running: builds.map(buildView),
    ...{ macos: inventory?.macos ?? null, os: inventory?.os ?? null, chip: inventory?.chip ?? null },
    ...{ arch: inventory?.arch ?? null, cpu_cores: inventory?.cpu_cores ?? null },
    memory_bytes: inventory?.memory_bytes ?? null,
    xcodes:
      inventory === null
        ? null
        : xcodesText(host)
            .split(', ')
            .filter((version) => version !== ''),
    health: worstOf(health),
    health_problems: problemsOf(health),
    upgrade: host.upgrade,
    ...{ address: host.linkAddress?.site_url ?? null, moving_to: host.moveTo, move: moveText(host) },
  };
}

export const buildView = ({ buildId, rentalId, startedAt, organization }: RunningBuild) => ({
  ...{ build_id: buildId, rental_id: rentalId, started_at: isoTime(startedAt) },
  organization: organizationView(organization),
});

const organizationView = ({ orgId, slug, name }: RunningBuild['organization']) => ({
  org_id: orgId,
  slug,
  name,
});

export const slotView = ({ slotId, position, held, macs }: FleetSlot, builds: readonly RunningBuild[]) => ({
  ...{ slot_id: slotId, position, held },
  macs: macs.map(({ rentalId, state, xcode, generation, madeFrom, organization }) => ({
    ...{ rental_id: rentalId, state, xcode, generation, image_digest: madeFrom },
    organization: organizationView(organization),
    build_id: builds.find((build) => build.rentalId === rentalId)?.buildId ?? null,
  })),
});

export const linkView = ({ connectedAt, endedAt, agentVersion }: HostLink) => ({
  ...{ connected_at: isoTime(connectedAt), ended_at: isoTime(endedAt), agent_version: agentVersion },
});
