// Comparisons of the availability audit: the in-memory calendar with the database, and the database with hosts'
// reports. It only finds differences; a person decides what to do.
import type { MacFact } from '../../../shared/protocol/index.js';
import { isActive, type Mac } from '../../macs/domain/mac.js';
import type { Calendar } from './calendar.js';
import type { CalendarHost, Occupation } from './occupation.js';

/** calendar: memory and database. database: rows that contradict each other. host: database and a host's report. */
export const differenceKinds = ['calendar', 'database', 'host'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export interface Difference {
  readonly kind: DifferenceKind;
  /** One sentence with the ids; equal differences have equal texts. */
  readonly message: string;
}

export interface StoredHost {
  readonly host: CalendarHost;
  readonly occupied: readonly Occupation[];
}

const times = ({ slotId, startsAt, endsAt }: Occupation) =>
  `in ${slotId} from ${new Date(startsAt).toISOString()} to ${new Date(endsAt).toISOString()}`;

const sameHost = (a: CalendarHost, b: CalendarHost) =>
  a.tier === b.tier &&
  a.inService === b.inService &&
  a.connected === b.connected &&
  a.blocked === b.blocked &&
  a.holdsImage === b.holdsImage &&
  (a.xcodes?.join() ?? null) === (b.xcodes?.join() ?? null) &&
  a.shared === b.shared &&
  a.slotIds.join() === b.slotIds.join();

const sameOccupation = (a: Occupation, b: Occupation) =>
  a.slotId === b.slotId &&
  a.accountId === b.accountId &&
  a.startsAt === b.startsAt &&
  a.endsAt === b.endsAt &&
  a.movable === b.movable &&
  a.extends === b.extends &&
  a.xcode === b.xcode;

/** Compares the in-memory calendar with every host in the database, both read at the same moment. */
export function calendarDifferences(calendar: Calendar, stored: readonly StoredHost[]): Difference[] {
  const found: string[] = [];
  const known = new Set<string>();
  for (const { host, occupied } of stored) {
    const remembered = calendar.host(host.hostId);
    if (!remembered || !sameHost(remembered, host)) {
      found.push(`the calendar has other settings for host ${host.hostId} than the database`);
    }
    for (const one of occupied) {
      // Retired slots and their occupations are not in the calendar.
      if (!host.slotIds.includes(one.slotId)) continue;
      known.add(one.id);
      const other = calendar.get(one.id);
      if (!other) found.push(`${one.id} is ${times(one)} in the database, and missing in the calendar`);
      else if (!sameOccupation(one, other)) {
        found.push(`${one.id} is ${times(one)} in the database, and ${times(other)} in the calendar`);
      }
    }
  }
  for (const one of calendar.occupations()) {
    if (!known.has(one.id)) found.push(`${one.id} is ${times(one)} in the calendar, and not in the database`);
  }
  return found.map((message) => ({ kind: 'calendar', message }));
}

/**
 * Compares the desired Macs of a connected host with its reports, by slot. Changes in progress differ too, so only
 * lasting differences should be reported.
 */
export function hostDifferences(
  hostId: string,
  macs: readonly Mac[],
  reported: ReadonlyMap<string, MacFact>,
): Difference[] {
  const found: string[] = [];
  const wanted = new Map(macs.filter(isActive).map((mac) => [mac.slotId, mac]));
  for (const mac of wanted.values()) {
    const fact = reported.get(mac.slotId);
    const state = fact?.rental_id === mac.rentalId ? fact.state : 'nothing';
    const isUp = mac.state === 'ready' || mac.state === 'building';
    if (state === 'nothing') {
      found.push(`${mac.rentalId} is ${mac.state}, and host ${hostId} reports no such Mac`);
    } else if (isUp && (state !== 'ready' || fact?.generation !== mac.generation)) {
      found.push(`${mac.rentalId} is ${mac.state}, and host ${hostId} reports another Mac or state: ${state}`);
    } else if (
      mac.state === 'preparing' &&
      mac.repairAt === null &&
      state === 'ready' &&
      fact?.generation === mac.generation
    ) {
      found.push(`${mac.rentalId} is preparing, and host ${hostId} reports it ready`);
    }
  }
  for (const [slotId, fact] of reported) {
    if (fact.rental_id === null || wanted.get(slotId)?.rentalId === fact.rental_id) continue;
    found.push(`host ${hostId} has a Mac for ${fact.rental_id} in ${slotId}, which should not be there`);
  }
  return found.map((message) => ({ kind: 'host', message }));
}
