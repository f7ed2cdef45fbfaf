// Builds of an account, newest first. One of the conditions of a list finds the rows through its index, in the order of
// creation; the others are checked on a limited number of these rows at a time.
import type { Queries, SqlParams, SqlValue } from '../../platform/store/sql.js';
import { type Build, type BuildStatus, hasEnded } from '../domain/build.js';
import { builds } from './builds.js';

export interface BuildFilter {
  readonly statuses: readonly BuildStatus[] | null;
  /** owner/name, or a repo_url. */
  readonly repo: string | null;
  readonly pr: number | null;
  /** On or pinned to that Mac. */
  readonly rentalId: string | null;
  /** Created at or after, ms. */
  readonly from: number | null;
  /** Created before, ms. */
  readonly to: number | null;
  readonly text: string | null;
}

/** The order of creation. */
export interface BuildPlace {
  readonly createdAt: number;
  readonly seq: number;
}

interface Conditions {
  /** Answered by one index, with the range of times. */
  readonly indexed: readonly string[];
  /** Checked on each row. */
  readonly others: readonly string[];
  readonly params: SqlParams;
}

// The planner is kept from using the index of a condition that is to be checked on each row: `+pr`, and the second form
// of `repo`.
function conditionsOf(accountId: number, filter: BuildFilter): Conditions {
  const { statuses, repo, pr, rentalId, from, to, text } = filter;
  const params: Record<string, SqlValue> = { accountId };
  const given: [indexed: string, checked: string][] = [];
  const add = (indexed: string, checked: string, values: SqlParams) => {
    given.push([indexed, checked]);
    Object.assign(params, values);
  };
  if (rentalId !== null) add('COALESCE(rental_id, pinned_rental_id) = :rentalId', '', { rentalId });
  if (pr !== null) add('pr = :pr', '+pr = :pr', { pr });
  if (repo !== null) add('COALESCE(repo, repo_url) = :repo', '(repo = :repo OR repo_url = :repo)', { repo });
  if (statuses !== null) {
    const names = Object.fromEntries(statuses.map((status, i) => [`status${i}`, status]));
    const list = `status IN (${Object.keys(names).map((name) => `:${name}`)})`;
    add(indexedStatuses(statuses), list, names);
  }
  const [first, ...rest] = given;
  const others = rest.map(([, checked]) => checked);
  if (first?.[0] === '') others.push(first[1]);
  if (text !== null) {
    const columns = ['repo', 'repo_url', 'ref', 'script', 'build_id'];
    others.push(`(${columns.map((c) => `LOWER(${c}) LIKE LOWER(:text) ESCAPE '\\'`).join(' OR ')})`);
    params.text = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  }
  const indexed = ['account_id = :accountId', ...(first?.[0] ? [first[0]] : [])];
  if (from !== null) indexed.push('created_at >= :from');
  if (to !== null) indexed.push('created_at < :to');
  Object.assign(params, from === null ? {} : { from }, to === null ? {} : { to });
  return { indexed, others, params };
}

/** There is an index of the builds that have not ended, and one of ended builds by status. */
function indexedStatuses(statuses: readonly BuildStatus[]): string {
  const [only] = statuses;
  if (statuses.length === 1 && only !== undefined) {
    return hasEnded(only)
      ? 'status = :status0 AND ended_at IS NOT NULL'
      : 'ended_at IS NULL AND status = :status0';
  }
  return statuses.every((status) => !hasEnded(status))
    ? `ended_at IS NULL AND status IN (${statuses.map((_, i) => `:status${i}`)})`
    : '';
}

const ORDER = 'ORDER BY created_at DESC, seq DESC LIMIT :limit';
const BEHIND = '(created_at, seq) < (:createdAt, :seq)';

export interface BuildSlice {
  readonly builds: readonly Build[];
  /** Where the next slice begins; null: there are no more builds. */
  readonly next: BuildPlace | null;
}

/**
 * Reads up to `limit` builds behind `after` (null: from the newest).
 *
 * @param examined how many rows are read if some conditions have no index
 */
export async function readBuilds(
  q: Queries,
  accountId: number,
  filter: BuildFilter,
  { after, limit, examined }: { after: BuildPlace | null; limit: number; examined: number },
): Promise<BuildSlice> {
  if (filter.statuses?.length === 0) return { builds: [], next: null };
  const { indexed, others, params } = conditionsOf(accountId, filter);
  const where = after === null ? indexed : [...indexed, BEHIND];
  const from: SqlParams = { ...params, ...(after && { createdAt: after.createdAt, seq: after.seq }) };
  if (others.length === 0) {
    const found = await builds.all(q, `WHERE ${where.join(' AND ')} ${ORDER}`, { ...from, limit });
    return { builds: found, next: found.length < limit ? null : placeOf(found) };
  }
  const end = await q.get<BuildPlace>(
    `SELECT created_at AS "createdAt", seq FROM builds WHERE ${where.join(' AND ')} ${ORDER} OFFSET :skipped`,
    { ...from, limit: 1, skipped: examined - 1 },
  );
  const bounds = end ? ['(created_at, seq) >= (:endAt, :endSeq)'] : [];
  const found = await builds.all(q, `WHERE ${[...where, ...bounds, ...others].join(' AND ')} ${ORDER}`, {
    ...{ ...from, limit },
    ...(end && { endAt: end.createdAt, endSeq: end.seq }),
  });
  return { builds: found, next: found.length === limit ? placeOf(found) : (end ?? null) };
}

function placeOf(found: readonly Build[]): BuildPlace | null {
  const last = found.at(-1);
  return last ? { createdAt: last.createdAt, seq: last.seq } : null;
}

const places = builds.pick('createdAt', 'seq');

/** Returns the place of a build in the order of creation; null if the account has no such build. */
export function findBuildPlace(q: Queries, accountId: number, buildId: string): Promise<BuildPlace | null> {
  return places.get(q, 'WHERE build_id = :buildId AND account_id = :accountId', { buildId, accountId });
}

const ids = builds.pick('buildId');

/** Returns the id of the build at a place. */
export async function buildAt(q: Queries, { seq }: BuildPlace): Promise<string | null> {
  return (await ids.get(q, 'WHERE seq = :seq', { seq }))?.buildId ?? null;
}
