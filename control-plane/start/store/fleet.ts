// What is in the slots of hosts, and which builds run on hosts: one query each, for any number of hosts.
import { type MacMaking, macMaking } from '../../macs/domain/making.js';
import type { Queries } from '../../platform/store/sql.js';

export interface SlotRow {
  readonly hostId: string;
  readonly slotId: string;
  readonly position: number;
  readonly tier: string;
  /** Whether an unpaid order holds the slot. */
  readonly held: boolean;
  /** The Mac in the slot, or one reserved for later; a slot with several has a row for each. */
  readonly mac: {
    readonly rentalId: string;
    readonly name: string;
    readonly state: string;
    readonly xcode: string | null;
    readonly generation: number;
    /** The digest of the image that it was made from. */
    readonly madeFrom: string | null;
    readonly making: MacMaking | null;
    readonly organization: OrganizationRef;
  } | null;
}

export interface OrganizationRef {
  readonly orgId: string;
  readonly slug: string;
  readonly name: string;
}

export interface RunningBuild {
  readonly buildId: string;
  readonly hostId: string;
  readonly rentalId: string | null;
  readonly macName: string | null;
  readonly startedAt: number | null;
  readonly organization: OrganizationRef;
}

export interface OrganizationColumns {
  org_id: string;
  slug: string;
  org_name: string;
}

export const organization = ({ org_id, slug, org_name }: OrganizationColumns): OrganizationRef => ({
  orgId: org_id,
  slug,
  name: org_name,
});

type SlotColumns = { [K in keyof OrganizationColumns]: string | null } & {
  host_id: string;
  slot_id: string;
  position: number;
  tier: string;
  held: number;
  rental_id: string | null;
  mac_name: string;
  state: string;
  xcode: string | null;
  generation: number;
  made_from: string | null;
  making: string | null;
};

/** Returns the slots of all hosts that have not been removed, in order, and of `hostId` whatever its status. */
export async function readSlots(q: Queries, hostId: string | null): Promise<SlotRow[]> {
  const rows = await q.all<SlotColumns>(
    `SELECT s.host_id, s.slot_id, s.position, s.tier,
       EXISTS (SELECT 1 FROM holds o WHERE o.slot_id = s.slot_id AND o.rental_id IS NULL) AS held,
       m.rental_id, m.name AS mac_name, m.state, m.xcode, m.generation, m.made_from, m.making, a.org_id, a.slug, a.name AS org_name
     FROM hosts h JOIN slots s ON s.host_id = h.host_id
       LEFT JOIN macs m ON m.slot_id = s.slot_id AND m.state <> 'ended'
       LEFT JOIN organizations a ON a.id = m.account_id
     WHERE s.retired_at IS NULL AND CASE WHEN :hostId IS NULL THEN h.status <> 'removed' ELSE h.host_id = :hostId END
     ORDER BY s.host_id, s.position, m.created_at, m.rental_id`,
    { hostId },
  );
  return rows.map((row) => ({
    hostId: row.host_id,
    slotId: row.slot_id,
    position: row.position,
    tier: row.tier,
    held: row.held === 1,
    mac:
      row.rental_id === null
        ? null
        : {
            rentalId: row.rental_id,
            name: row.mac_name,
            state: row.state,
            xcode: row.xcode,
            generation: row.generation,
            madeFrom: row.made_from,
            making: row.making === null ? null : macMaking.parse(JSON.parse(row.making)),
            organization: organization({
              org_id: row.org_id ?? '',
              slug: row.slug ?? '',
              org_name: row.org_name ?? '',
            }),
          },
  }));
}

/** Returns the builds that run on hosts, the oldest first. */
export async function readRunningBuilds(q: Queries): Promise<RunningBuild[]> {
  const rows = await q.all<
    OrganizationColumns & {
      build_id: string;
      host_id: string;
      rental_id: string | null;
      mac_name: string | null;
      started_at: number | null;
    }
  >(
    `SELECT b.build_id, b.host_id, b.rental_id, m.name AS mac_name, b.started_at, a.org_id, a.slug, a.name AS org_name
     FROM builds b JOIN organizations a ON a.id = b.account_id LEFT JOIN macs m ON m.rental_id = b.rental_id
     WHERE b.status = 'running' AND b.host_id IS NOT NULL ORDER BY b.started_at, b.build_id`,
  );
  return rows.map((row) => ({
    buildId: row.build_id,
    hostId: row.host_id,
    rentalId: row.rental_id,
    macName: row.mac_name,
    startedAt: row.started_at,
    organization: organization(row),
  }));
}
