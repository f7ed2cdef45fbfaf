// The calendar of all slots, kept in memory and brought up to date from the database before every use: another
// process may have written. It is only a cache; see docs/adr/0016-capacity-calendar.md.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Calendar, createCalendar } from '../domain/calendar.js';
import { type HostChange, readCalendarChanges } from '../store/calendar.js';

export interface Stock {
  /** As the database is now, for answers that take nothing. To be used before anything else is awaited. */
  current(q: Queries): Promise<Calendar>;
  /**
   * As the transaction sees it. What the caller changes in it must be what it writes; a refusal should not be
   * thrown inside the transaction, because a rollback throws the calendar away.
   */
  within(tx: Transaction): Promise<Calendar>;
}

/** Revision before the first. */
const NOTHING = -1;

/** @example const calendar = await stock.within(tx); const slots = allot(calendar, tier, units, demand, limits); */
export function createStock(): Stock {
  let calendar = createCalendar();
  let known = new Map<string, number>();
  let newest = NOTHING;

  const take = (changes: readonly HostChange[]) => {
    for (const { revision, host, occupied } of changes) {
      // What is committed may be older than what a transaction under way has seen.
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
  };

  return {
    async current(q) {
      return take(await readCalendarChanges(q, newest));
    },
    async within(tx) {
      // Transactions share commits: one that is undone may take with it what was read here, and its revisions
      // are given out again.
      tx.onRollback(forget);
      return take(await readCalendarChanges(tx, newest));
    },
  };
}
