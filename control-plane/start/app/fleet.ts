// All hosts with what is in their slots and what runs on them.
import { macLabel } from '../../../shared/mac-name.js';
import { hostReason } from '../../../shared/messages/host-reasons.js';
import type { Message } from '../../../shared/messages/message.js';
import { findHostNamed } from '../../hosts/app/host-selector.js';
import { listHosts } from '../../hosts/app/hosts.js';
import type { Host } from '../../hosts/domain/host.js';
import { conditionsOf, reasonsOf } from '../../hosts/domain/host-summary.js';
import type { FailingMac } from '../../macs/domain/making.js';
import type { Queries } from '../../platform/store/sql.js';
import { type RunningBuild, readRunningBuilds, readSlots, type SlotRow } from '../store/fleet.js';

export type { RunningBuild, SlotRow } from '../store/fleet.js';

export interface FleetHost {
  readonly host: Host;
  readonly slots: readonly FleetSlot[];
  readonly builds: readonly RunningBuild[];
}

export interface FleetSlot extends Pick<SlotRow, 'slotId' | 'position' | 'held'> {
  /** Macs that exist or are being made come first, then those reserved for later. */
  readonly macs: readonly NonNullable<SlotRow['mac']>[];
}

/** Returns what keeps the host from making Macs that belong to it, per Mac. */
const problemsOfMacs = ({ slots }: FleetHost): FailingMac[] =>
  slots.flatMap(({ macs }) =>
    macs.flatMap(({ rentalId, name, organization, making }) =>
      making?.problem ? [{ rentalId, name, orgName: organization.name, problem: making.problem }] : [],
    ),
  );

/** Returns the state of the host and all of its conditions. */
export const conditionsOfFleet = (one: FleetHost): string[] => conditionsOf(one.host, problemsOfMacs(one).length > 0);

/** Returns why the host is in its state, and what is wrong with it and its Macs. */
export const reasonsOfFleet = (one: FleetHost, now: number): Message[] => [
  ...reasonsOf(one.host, now),
  ...problemsOfMacs(one).map((mac) => {
    const { code: cause, detail } = mac.problem;
    return hostReason('mac_not_made', { mac: macLabel(mac), organization: mac.orgName, cause, detail: detail ?? '' });
  }),
];

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet({ store }: { readonly store: Queries }) {
  return {
    /** Returns every host, in the order of enrolment; removed hosts without slots. Three queries, however many hosts. */
    async list(): Promise<FleetHost[]> {
      const [hosts, slots, builds] = [
        await listHosts(store),
        await readSlots(store, null),
        await readRunningBuilds(store),
      ];
      const slotsOf = grouped(slots, ({ hostId }) => hostId);
      const buildsOf = grouped(builds, ({ hostId }) => hostId);
      return hosts.map((host) => ({
        host,
        slots: toSlots(slotsOf.get(host.hostId) ?? []),
        builds: buildsOf.get(host.hostId) ?? [],
      }));
    },

    /** Returns one host, by id or name. Throws host_not_found; invalid_request if several hosts have the name. */
    async show(ref: string): Promise<FleetHost> {
      const host = await findHostNamed(store, ref);
      const builds = await readRunningBuilds(store);
      return {
        host,
        slots: toSlots(await readSlots(store, host.hostId)),
        builds: builds.filter(({ hostId }) => hostId === host.hostId),
      };
    },
  };
}

function toSlots(rows: readonly SlotRow[]): FleetSlot[] {
  return [...grouped(rows, ({ slotId }) => slotId)].map(([slotId, [first, ...others]]) => {
    const macs = [first, ...others].flatMap((row) => row?.mac ?? []);
    const isLater = ({ state }: { state: string }) => state === 'reserved';
    return {
      slotId,
      position: first?.position ?? 0,
      held: first?.held ?? false,
      macs: [...macs.filter((mac) => !isLater(mac)), ...macs.filter(isLater)],
    };
  });
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
