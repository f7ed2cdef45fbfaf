// A host with its slots and builds, as the operator API returns it.

import { z } from 'zod';
import { uncoded } from '../../../shared/messages/message.js';
import type { HealthFinding } from '../../../shared/protocol/index.js';
import { problemsOf, worstOf } from '../../hosts/domain/health.js';
import type { Host } from '../../hosts/domain/host.js';
import { type Move, moveOf } from '../../hosts/domain/host-move.js';
import { STATES, stateOf } from '../../hosts/domain/host-summary.js';
import { hostFieldsShape, hostUpgradeShape, hostUpgradeView, hostView } from '../../hosts/http/host-view.js';
import { progressShape, progressView } from '../../macs/http/jobs-view.js';
import { hostMacProblemShape, hostMacProblemView } from '../../macs/http/problem-view.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { errorShapes, errorView, messageShape, messageView } from '../../platform/http/message-view.js';
import { count, time } from '../../platform/http/values.js';
import { conditionsOfFleet, type FleetHost, type FleetSlot, type RunningBuild, reasonsOfFleet } from '../app/fleet.js';

export const organizationRefShape = z
  .object({ org_id: z.string(), slug: z.string(), name: z.string() })
  .meta({ id: 'OrganizationRef' });

export const organizationRef = ({
  orgId,
  slug,
  name,
}: {
  readonly orgId: string;
  readonly slug: string;
  readonly name: string;
}) => ({ org_id: orgId, slug, name });

const runningBuildShape = z
  .object({
    build_id: z.string(),
    rental_id: z.string().nullable(),
    rental_name: z.string().nullable(),
    started_at: time.nullable(),
    organization: organizationRefShape,
  })
  .meta({ id: 'RunningBuild' });

const findingShape = z
  .object({
    check: z.string().nullable(),
    status: z.enum(['ok', 'warning', 'failed']),
    found: z.string(),
    found_message: messageShape.meta({ description: '`found` as a code with values' }),
    fix: z.string().nullable().meta({ description: 'What to do about it' }),
    fix_message: messageShape.nullable().meta({ description: '`fix` as a code with values' }),
  })
  .meta({ id: 'HostFinding' });

/** Hosts of older versions say both in English only. */
export const findingView = ({ check, status, ...said }: HealthFinding): z.infer<typeof findingShape> => ({
  check,
  status,
  found: said.found,
  found_message: messageView(said.found_message ?? uncoded(said.found)),
  fix: said.fix,
  fix_message: said.fix === null ? null : messageView(said.fix_message ?? uncoded(said.fix)),
});

const slotShape = z
  .object({
    slot_id: z.string(),
    position: z.int().min(0),
    held: z.boolean().meta({ description: 'Whether an unpaid order holds the slot' }),
    macs: z.array(
      z.object({
        rental_id: z.string(),
        name: z.string(),
        state: z.string(),
        xcode: z.string().nullable(),
        generation: z.int().min(0),
        image_digest: z.string().nullable(),
        progress: progressShape.nullable(),
        problem: hostMacProblemShape.nullable().meta({ description: 'Why the host cannot make it' }),
        organization: organizationRefShape,
        build_id: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'HostSlot' });

const fleetHostFields = {
  ...hostFieldsShape,
  state: z.string().meta({ description: 'Its status, or `away`' }),
  conditions: z.array(z.enum(STATES)).meta({ description: 'Its state, and what else is wrong' }),
  reasons: z.array(messageShape).meta({ description: 'The same in sentences, the most important first' }),
  slots: count,
  slots_taken: count,
  running: z.array(runningBuildShape),
  macos: z.string().nullable(),
  os: z.string().nullable(),
  chip: z.string().nullable(),
  arch: z.string().nullable(),
  cpu_cores: count.nullable(),
  memory_bytes: count.nullable(),
  xcodes: z.array(z.string()).nullable(),
  health: z.enum(['ok', 'warning', 'failed']).nullable(),
  health_problems: z.array(findingShape),
  upgrade: hostUpgradeShape,
  address: z.string().nullable(),
  moving_to: z.string().nullable(),
  moving: z.object({ to: z.string(), ...errorShapes }).nullable(),
};

export const fleetHostShape = z
  .object({ ...fleetHostFields, slot_details: z.array(slotShape) })
  .meta({ id: 'FleetHost' });

export const fleetHostDetailShape = z
  .object({
    ...fleetHostFields,
    slot_details: z.array(slotShape),
    health_findings: z.array(findingShape).nullable(),
    health_checked_at: time.nullable(),
    connections: z
      .array(z.object({ connected_at: time.nullable(), ended_at: time.nullable(), agent_version: z.string() }))
      .meta({ description: 'The newest first' }),
    disk_total_bytes: count.nullable(),
    clock_skew_ms: z.int().nullable(),
    connected_at: time.nullable().meta({ description: 'When its current or last connection began' }),
    enrolled_at: time,
    at: time.meta({ description: 'When this was read, by the clock of the service' }),
  })
  .meta({ id: 'FleetHostDetail' });

export const isTaken = ({ macs, held }: FleetSlot) => held || macs.length > 0;

export const xcodesOf = ({ inventory }: Host): string[] => [
  ...new Set(inventory?.xcodes.map(({ version }) => version)),
];

export function fleetView(one: FleetHost, now: number) {
  const { host, slots, builds } = one;
  const { inventory, health } = host;
  return {
    ...hostView(host),
    state: stateOf(host),
    conditions: conditionsOfFleet(one),
    reasons: reasonsOfFleet(one, now).map(messageView),
    slots: slots.length,
    slots_taken: slots.filter(isTaken).length,
    running: builds.map(buildView),
    macos: inventory?.macos ?? null,
    os: inventory?.os ?? null,
    chip: inventory?.chip ?? null,
    arch: inventory?.arch ?? null,
    cpu_cores: inventory?.cpu_cores ?? null,
    memory_bytes: inventory?.memory_bytes ?? null,
    xcodes: inventory === null ? null : xcodesOf(host),
    health: worstOf(health),
    health_problems: problemsOf(health).map(findingView),
    upgrade: hostUpgradeView(host.upgrade),
    address: host.linkAddress?.site_url ?? null,
    moving_to: host.moveTo,
    moving: movingView(moveOf(host)),
  };
}

const movingView = (move: Move | null) => move && { to: move.to, ...errorView(move) };

export const buildView = ({ buildId, rentalId, macName, startedAt, organization }: RunningBuild) => ({
  build_id: buildId,
  rental_id: rentalId,
  rental_name: macName,
  started_at: isoTime(startedAt),
  organization: organizationRef(organization),
});

export const slotView = ({ slotId, position, held, macs }: FleetSlot, builds: readonly RunningBuild[]) => ({
  slot_id: slotId,
  position,
  held,
  macs: macs.map(({ rentalId, name, state, xcode, generation, madeFrom, making, organization }) => ({
    rental_id: rentalId,
    name,
    state,
    xcode,
    generation,
    image_digest: madeFrom,
    progress: making?.progress ? progressView(making.progress) : null,
    problem: making?.problem ? hostMacProblemView(making.problem) : null,
    organization: organizationRef(organization),
    build_id: builds.find((build) => build.rentalId === rentalId)?.buildId ?? null,
  })),
});

export const linkView = (link: {
  readonly connectedAt: number;
  readonly endedAt: number | null;
  readonly agentVersion: string;
}) => ({
  connected_at: isoTime(link.connectedAt),
  ended_at: isoTime(link.endedAt),
  agent_version: link.agentVersion,
});
