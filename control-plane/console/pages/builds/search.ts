// The filters of the list, as they stand in the address: the same names as in the API.
import type { BuildFilter } from '../../../../client/types.js';
import type { RawSearch } from '../../data/raw-search.js';

export const statuses = [...(['active', 'queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const)];
export type StatusFilter = (typeof statuses)[number];

export interface BuildSearch {
  readonly status?: StatusFilter;
  readonly repo?: string;
  readonly pr?: number;
  readonly rental_id?: string;
  /** Days as `YYYY-MM-DD`, in the person's time zone; `to` is included. */
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Leaves out what the API would refuse. */
export function parseBuildSearch(raw: RawSearch): BuildSearch {
  const status = statuses.find((each) => each === raw.status);
  const pr = /^[1-9]\d{0,8}$/.test(raw.pr ?? '') ? Number(raw.pr) : null;
  const day = (text: string | undefined) =>
    text !== undefined && DAY.test(text) && Number.isFinite(startOfDay(text)) ? text : null;
  const [from, to] = [day(raw.from), day(raw.to)];
  return {
    ...(status ? { status } : {}),
    ...(raw.repo ? { repo: raw.repo } : {}),
    ...(pr === null ? {} : { pr }),
    ...(raw.rental_id ? { rental_id: raw.rental_id } : {}),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(raw.q ? { q: [...raw.q].slice(0, MOST_CHARS).join('') } : {}),
  };
}

/** The longest text that the API searches for. */
const MOST_CHARS = 100;

export function filterOf({ from, to, ...rest }: BuildSearch): BuildFilter {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: startOfDay(from) }),
    ...(to === undefined ? {} : { to: startOfDay(to, 1) }),
  };
}

/** Start of a day in the local time zone, in ms; NaN for a day that does not exist. */
function startOfDay(day: string, later = 0): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  const exists = new Date(year, month - 1, date).getMonth() === month - 1 && date > 0;
  return exists ? start.getTime() : Number.NaN;
}

export const isFiltered = (search: BuildSearch): boolean => Object.keys(search).length > 0;
