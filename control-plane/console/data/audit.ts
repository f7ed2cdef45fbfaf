import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { AuditPage } from '../../../client/types.js';
import { CONSOLE_ROOT } from './api.js';
import { pagesByCursor } from './queries.js';
import { orgPath, type Place, type Query, queryText } from './query-text.js';
import type { RawSearch } from './search.js';

type At = Pick<Place, 'id'>;

/** Filters as the API takes them; missing ones are undefined. */
export interface AuditFilters extends Query {
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
export function auditQueryOf({ since, until, ...rest }: AuditFilters): Query {
  const moment = (date: string, days: number) => {
    const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
    return new Date(year, month - 1, day + days).toISOString();
  };
  return { ...rest, since: since && moment(since, 0), until: until && moment(until, 1) };
}

export const auditQuery = (place: At, filters: AuditFilters) =>
  infiniteQueryOptions({
    ...pagesByCursor<AuditPage>([place.id, 'audit', filters], orgPath(place, '/audit'), auditQueryOf(filters)),
    // The entries stay while those of another filter are loaded.
    placeholderData: keepPreviousData,
  });

/** The address of the file with all entries that the filters let through. */
export function auditFile(place: At, filters: AuditFilters, format: 'csv' | 'jsonl'): string {
  const path = orgPath(place, '/audit');
  return CONSOLE_ROOT + path + queryText(path, { ...auditQueryOf(filters), format });
}
