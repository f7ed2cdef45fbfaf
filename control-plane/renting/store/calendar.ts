// Reads the occupations of slots for the in-memory calendar: whole hosts, by the revision of their last change.

import { type HostStatus, takesRentals } from '../../hosts/domain/host.js';
import { offeredXcodes } from '../../macs/domain/tier-image.js';
import type { Queries } from '../../platform/store/sql.js';
import type { CalendarHost, Occupation } from '../domain/occupation.js';
import { readSetup } from '../domain/order.js';

export interface HostChange {
  readonly revision: number;
  readonly host: CalendarHost;
  readonly occupied: readonly Occupation[];
}

interface Row {
  host_id: string;
  calendar_revision: number;
  tier: string | null;
  status: HostStatus;
  draining: number;
  connected: number;
  blocked: number;
  holds_image: number;
  xcodes: string | null;
  offers: string | null;
  shared: number;
  slot_id: string | null;
  position: number | null;
  id: string | null;
  account_id: number | null;
  starts_at: number | null;
  ends_at: number | null;
  movable: number | null;
  extends: string | null;
  xcode: string | null;
  setup: string | null;
}

// As `holdsImage` in macs/domain/tier-image.ts; also of a tier without an image.
const HOLDS_IMAGE = `NOT EXISTS (SELECT 1 FROM tiers t WHERE t.tier = h.tier AND t.image IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM host_images i WHERE i.host_id = h.host_id AND i.image = t.image
    AND i.state = 'ready' AND (t.image_digest IS NULL OR i.digest = t.image_digest)))`;

// What the image of the host's tier offers, if its Macs are made from one.
const OFFERS = `(SELECT o.offers FROM tiers t JOIN image_offers o ON o.tier = t.tier AND o.digest = t.image_digest
  WHERE t.tier = h.tier AND t.image IS NOT NULL)`;

const HOST = `h.host_id, h.calendar_revision, h.tier, h.status, h.draining, h.connected, h.shared,
  h.blocked IS NOT NULL AS blocked, ${HOLDS_IMAGE} AS holds_image, s.slot_id, s.position`;

// One statement, so that the result is consistent. CROSS JOIN fixes the join order, so that SQLite does not read all
// rentals to find those of the few changed hosts.
const CHANGES = `
  SELECT ${HOST}, NULL AS id, NULL AS account_id, NULL AS starts_at, NULL AS ends_at, NULL AS movable,
      NULL AS extends, NULL AS xcode, NULL AS setup, h.xcodes, ${OFFERS} AS offers
    FROM hosts h LEFT JOIN slots s ON s.host_id = h.host_id AND s.retired_at IS NULL
    WHERE h.calendar_revision > :since
  UNION ALL
  SELECT ${HOST}, m.rental_id, m.account_id, r.starts_at, r.ends_at,
      CASE WHEN m.state = 'reserved' THEN 1 ELSE 0 END, NULL,
      CASE WHEN m.state = 'reserved' THEN m.xcode END, NULL, NULL, NULL
    FROM hosts h CROSS JOIN slots s CROSS JOIN macs m CROSS JOIN rentals r
    WHERE h.calendar_revision > :since AND s.host_id = h.host_id
      AND m.slot_id = s.slot_id AND m.state <> 'ended' AND r.rental_id = m.rental_id
  UNION ALL
  SELECT ${HOST}, 'hold:' || o.hold_id, o.account_id, o.starts_at, o.ends_at,
      CASE WHEN o.rental_id IS NULL THEN 1 ELSE 0 END, o.rental_id, NULL, d.setup, NULL, NULL
    FROM hosts h CROSS JOIN slots s CROSS JOIN holds o CROSS JOIN orders d
    WHERE h.calendar_revision > :since AND s.host_id = h.host_id AND o.slot_id = s.slot_id
      AND d.order_no = o.order_no`;

/** Returns every host that has changed since a revision; all hosts since -1. */
export async function readCalendarChanges(q: Queries, since: number): Promise<HostChange[]> {
  const rows = await q.all<Row>(CHANGES, { since });
  const changes = new Map<string, { row: Row; slots: [number, string][]; occupied: Occupation[] }>();
  for (const row of rows) {
    let change = changes.get(row.host_id);
    if (!change) {
      change = { row, slots: [], occupied: [] };
      changes.set(row.host_id, change);
    }
    // Only the rows of the first part have all of the host.
    if (row.id === null) change.row = row;
    if (row.slot_id === null) continue;
    if (row.id === null) change.slots.push([row.position ?? 0, row.slot_id]);
    else change.occupied.push(toOccupation(row, row.id, row.slot_id));
  }
  return [...changes.values()].map(({ row, slots, occupied }) => ({
    revision: row.calendar_revision,
    host: {
      hostId: row.host_id,
      tier: row.tier,
      inService: takesRentals({ status: row.status, draining: row.draining === 1 }),
      connected: row.connected === 1,
      blocked: Boolean(row.blocked),
      holdsImage: Boolean(row.holds_image),
      shared: row.shared === 1,
      xcodes: xcodesOf(row),
      slotIds: slots.sort(([a], [b]) => a - b).map(([, slotId]) => slotId),
    },
    occupied,
  }));
}

/** Macs of the local driver use the Xcodes of their host, virtual machines those of their image. */
function xcodesOf({ xcodes, offers }: Row): readonly string[] | null {
  if (xcodes !== null) return JSON.parse(xcodes);
  return offers === null ? null : offeredXcodes(JSON.parse(offers));
}

function toOccupation(row: Row, id: string, slotId: string): Occupation {
  return {
    id,
    accountId: row.account_id ?? 0,
    slotId,
    startsAt: row.starts_at ?? 0,
    endsAt: row.ends_at ?? 0,
    movable: row.movable === 1,
    extends: row.extends,
    xcode: row.setup === null ? row.xcode : readSetup(JSON.parse(row.setup)).xcode,
  };
}
