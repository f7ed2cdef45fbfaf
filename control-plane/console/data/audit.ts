import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listAuditEntries } from '../../../client/operations/console.js';
import type { Asked } from '../../../client/operations/operation.js';
import type { AuditEntryFilter } from '../../../client/types.js';
import { call } from './api.js';
import type { Place } from './place.js';
import { pagesByCursor } from './queries.js';
import type { RawSearch } from './search.js';

type At = Pick<Place, 'id'>;

/** Filters as the address has them; missing ones are undefined. */
export interface AuditFilters {
  readonly actor: string | undefined;
  readonly action: string | undefined;
  readonly failed: 'true' | 'false' | undefined;
  /** A date, as in the field: its first moment in the person's time zone. */
  readonly since: string | undefined;
  /** A date: until its last moment. */
  readonly until: string | undefined;
}

const isDate = (text: string | undefined) => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text);

export const parseAuditSearch = ({ actor, action, failed, since, until }: RawSearch): AuditFilters => ({
  actor,
  action,
  failed: failed === 'true' || failed === 'false' ? failed : undefined,
  since: isDate(since) ? since : undefined,
  until: isDate(until) ? until : undefined,
});

/** The query of the API: dates become times. */
export function auditQueryOf({ since, until, ...rest }: AuditFilters): Asked<AuditEntryFilter> {
  const moment = (date: string, days: number) => {
    const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
    return new Date(year, month - 1, day + days).toISOString();
  };
  return { ...rest, since: since && moment(since, 0), until: until && moment(until, 1) };
}

export const auditQuery = (place: At, filters: AuditFilters) =>
  infiniteQueryOptions({
    ...pagesByCursor([place.id, 'audit', filters], (cursor) =>
      call(listAuditEntries, place.id, { ...auditQueryOf(filters), cursor }),
    ),
    // The entries stay while those of another filter are loaded.
    placeholderData: keepPreviousData,
  });

/** The address of the file with all entries that the filters let through. */
export const auditFile = (place: At, filters: AuditFilters, format: 'csv' | 'jsonl'): string =>
  call(listAuditEntries, place.id, { ...auditQueryOf(filters), format }).address;
