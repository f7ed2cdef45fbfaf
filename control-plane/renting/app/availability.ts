// The calendar of all slots: a cache in memory, updated from the database before every use, because another process may
// have written. See docs/adr/0016-capacity-calendar.md.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Calendar, createCalendar } from '../domain/calendar.js';
import { type HostChange, readCalendarChanges } from '../store/calendar.js';

export type Availability = ReturnType<typeof createAvailability>;

/** Lower than the first revision. */
const NOTHING = -1;

/** @example const calendar = await availability.within(tx); const slots = allot(calendar, tier, units, demand, limits); */
export function createAvailability() {
  let calendar = createCalendar();
  let known = new Map<string, number>();
  let newest = NOTHING;
  /** How often everything was forgotten. */
  let forgotten = 0;

  const take = (changes: readonly HostChange[]) => {
    for (const { revision, host, occupied } of changes) {
      // The committed state may be older than what a pending transaction has read.
      if (revision <= (known.get(host.hostId) ?? NOTHING)) continue;
      calendar.put(host, occupied);
      known.set(host.hostId, revision);
      newest = Math.max(newest, revision);
    }
    return calendar;
  };
  const forget = () => {
    calendar = createCalendar();
    known = new Map();
    newest = NOTHING;
    forgotten++;
  };
  const refreshed = async (q: Queries): Promise<Calendar> => {
    for (;;) {
      const before = forgotten;
      const changes = await readCalendarChanges(q, newest);
      // Otherwise these are changes of a state that is no longer here.
      if (forgotten === before) return take(changes);
    }
  };

  return {
    /** Returns the committed state, for reads. Must be used before anything else is awaited. */
    current: (q: Queries): Promise<Calendar> => refreshed(q),
    /**
     * Returns the state as the transaction sees it. The caller must change it exactly as it writes the database. Return
     * refusals instead of throwing them, because a rollback discards the calendar.
     */
    async within(tx: Transaction): Promise<Calendar> {
      // Transactions share commits: a rollback may undo what was read here, and its revisions are reused.
      tx.onRollback(forget);
      return refreshed(tx);
    },
  };
}
