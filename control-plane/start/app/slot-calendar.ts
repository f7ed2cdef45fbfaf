// The calendar of slots for operators.
import { listHosts } from '../../hosts/app/hosts.js';
import type { Host } from '../../hosts/domain/host.js';
import type { Queries } from '../../platform/store/sql.js';
import { readSlots } from '../store/fleet.js';
import { readOccupations, type SlotOccupation } from '../store/slot-calendar.js';

export type { SlotOccupation } from '../store/slot-calendar.js';

export interface HostCalendar {
  readonly host: Host;
  readonly slots: readonly {
    readonly slotId: string;
    readonly position: number;
    readonly occupations: readonly SlotOccupation[];
  }[];
}

export type SlotCalendar = ReturnType<typeof createSlotCalendar>;

export function createSlotCalendar({ store }: { readonly store: Queries }) {
  return {
    /** Returns a page of hosts that have slots, by name, with what occupies the slots between two times. */
    async read(range: {
      readonly from: number;
      readonly to: number;
      readonly tier: string | null;
      /** The host after which the page begins; null: from the first one. */
      readonly after: string | null;
      readonly limit: number;
    }): Promise<HostCalendar[]> {
      const { from, to, tier, after, limit } = range;
      const hosts = (await listHosts(store))
        .filter(({ status }) => status !== 'removed' && status !== 'pending')
        .filter((host) => tier === null || host.tier === tier)
        .sort((a, b) => natural.compare(a.name, b.name) || natural.compare(a.hostId, b.hostId));
      const start = after === null ? 0 : hosts.findIndex(({ hostId }) => hostId === after) + 1;
      const calendars: HostCalendar[] = [];
      for (const host of hosts.slice(start, start + limit)) {
        const { hostId } = host;
        const occupations = await readOccupations(store, { hostId, from, to });
        const slots = new Map((await readSlots(store, hostId)).map((slot) => [slot.slotId, slot.position]));
        calendars.push({
          host,
          slots: [...slots].map(([slotId, position]) => ({
            slotId,
            position,
            occupations: occupations.filter((one) => one.slotId === slotId),
          })),
        });
      }
      return calendars;
    },
  };
}

const natural = new Intl.Collator('en', { numeric: true });
