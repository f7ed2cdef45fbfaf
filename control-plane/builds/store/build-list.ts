// Builds in scope, newest first: one list for each workspace and status, merged. One condition finds rows through its
// index, in the order of creation; the others are checked on a limited number of these rows at a time.
import { isInScope, type Scope } from '../../platform/domain/caller.js';
import type { Queries, SqlParams, SqlValue } from '../../platform/store/sql.js';
import { type Build, type BuildStatus, buildStatuses, hasEnded } from '../domain/build.js';
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

/** Position of a build in the order of creation. */
export interface BuildPlace {
  readonly createdAt: number;
  readonly seq: number;
}

interface Conditions {
  /** Covered by one index, including the time range. */
  readonly indexed: readonly string[];
  /** Checked on each row. */
  readonly others: readonly string[];
  readonly params: SqlParams;
}

/** A condition in two forms: one that uses an index, and one for which the planner uses none. */
type Condition = readonly [indexed: string, checked: string];

/** Returns the conditions on single columns, most selective first. */
function givenOf({ statuses, repo, pr, rentalId }: BuildFilter): Condition[] {
  const [status] = statuses ?? [];
  const given: (Condition | false)[] = [
    // Few builds have not ended.
    status !== undefined && !hasEnded(status) && ['status = :status', ''],
    rentalId !== null && [
      'COALESCE(rental_id, pinned_rental_id) = :rentalId',
      '(rental_id = :rentalId OR pinned_rental_id = :rentalId)',
    ],
    pr !== null && ['pr = :pr', '+pr = :pr'],
    repo !== null && ['COALESCE(repo, repo_url) = :repo', '(repo = :repo OR repo_url = :repo)'],
    status !== undefined && hasEnded(status) && ['status = :status', `status || '' = :status`],
  ];
  return given.filter((condition) => condition !== false);
}

/** A part of the list that one index covers. */
interface Part {
  readonly accountId: number;
  readonly workspaceId: string;
  /** With at most one status. */
  readonly filter: BuildFilter;
}

function conditionsOf({ accountId, workspaceId, filter }: Part): Conditions {
  const { statuses, repo, pr, rentalId, from, to, text } = filter;
  const params: Record<string, SqlValue> = { accountId, workspaceId };
  const give = (name: string, value: SqlValue | undefined) => {
    if (value !== null && value !== undefined) params[name] = value;
  };
  give('status', statuses?.[0]);
  give('repo', repo);
  give('pr', pr);
  give('rentalId', rentalId);
  give('from', from);
  give('to', to);
  const [first, ...rest] = givenOf(filter);
  const indexed = ['account_id = :accountId AND workspace_id = :workspaceId', ...(first ? [first[0]] : [])];
  if (from !== null) indexed.push('created_at >= :from');
  if (to !== null) indexed.push('created_at < :to');
  const others = rest.map(([, checked]) => checked);
  if (text !== null) {
    const columns = ['repo', 'repo_url', 'project', 'ref', 'commit_title', 'build_id'];
    const given = columns.map((column) => contains(column));
    others.push(
      `(${given.join(' OR ')} OR EXISTS (SELECT 1 FROM scripts s WHERE s.script_id = builds.script_id AND ${contains('s.script')}))`,
    );
    params.text = text;
  }
  return { indexed, others, params };
}

/** SQL: the column contains the text, with letters of ASCII in any case. LIKE of SQLite would stop at a NUL. */
const contains = (column: string) => `instr(LOWER(${column}), LOWER(:text)) > 0`;

const ORDER = 'ORDER BY created_at DESC, seq DESC LIMIT :limit';
const BEHIND = '(created_at, seq) < (:createdAt, :seq)';

export interface BuildSlice {
  readonly builds: readonly Build[];
  /** Where the next slice begins; null: there are no more builds. */
  readonly next: BuildPlace | null;
}

interface Page {
  /** Null: from the newest. */
  readonly after: BuildPlace | null;
  readonly limit: number;
  /** Number of rows to read at most if the index does not cover all conditions. */
  readonly examined: number;
}

/** Bytes of scripts to search at a time, so that a search of long scripts yields to other requests too. */
const SEARCHED_BYTES = 1024 * 1024;

/** Reads up to `limit` builds in scope after the position `after`. */
export async function readBuilds(q: Queries, scope: Scope, filter: BuildFilter, page: Page): Promise<BuildSlice> {
  const { accountId } = scope;
  const workspaceIds = scope.workspaceIds ?? (await workspacesOf(q, accountId));
  const filters = filter.statuses?.map((status) => ({ ...filter, statuses: [status] })) ?? [filter];
  const parts = workspaceIds.flatMap((workspaceId) => filters.map((one) => ({ accountId, workspaceId, filter: one })));
  const searched = Math.ceil(SEARCHED_BYTES / parts.length);
  const slices = await Promise.all(parts.map((part) => readSlice(q, part, page, searched)));
  return slices.length === 1 && slices[0] ? slices[0] : joined(slices, page.limit);
}

/** Finds the newest of each status in its index, then reads only the rows that are returned. */
const NEWEST_ENDED = `WHERE seq IN (
    SELECT seq FROM (${buildStatuses.filter(hasEnded).map(newestOf).join(' UNION ALL ')}) AS newest ${ORDER}) ${ORDER}`;

function newestOf(status: BuildStatus): string {
  return `SELECT * FROM (SELECT created_at, seq FROM builds
    WHERE account_id = :accountId AND workspace_id = :workspaceId AND status = '${status}' ${ORDER}) AS newest_${status}`;
}

/** Returns the newest builds in scope that have ended, newest first. */
export async function readNewestEnded(q: Queries, scope: Scope, limit: number): Promise<Build[]> {
  const { accountId } = scope;
  const workspaceIds = scope.workspaceIds ?? (await workspacesOf(q, accountId));
  const newest = (workspaceId: string) => builds.all(q, NEWEST_ENDED, { accountId, workspaceId, limit });
  return newestFirst((await Promise.all(workspaceIds.map(newest))).flat()).slice(0, limit);
}

/** Includes removed workspaces. */
async function workspacesOf(q: Queries, accountId: number): Promise<string[]> {
  const rows = await q.all<{ workspace_id: string }>(
    'SELECT workspace_id FROM workspaces WHERE account_id = :accountId',
    { accountId },
  );
  return rows.map((row) => row.workspace_id);
}

/** Merges slices of different parts, up to the first end of a slice. */
function joined(slices: readonly BuildSlice[], limit: number): BuildSlice {
  const ends = slices.flatMap(({ next }) => (next ? [next] : []));
  const whole = ends.reduce<BuildPlace | null>((newest, end) => (newest && isBehind(end, newest) ? newest : end), null);
  const found = slices.flatMap((slice) => slice.builds).filter((build) => whole === null || !isBehind(build, whole));
  const builds = newestFirst(found).slice(0, limit);
  return { builds, next: builds.length === limit ? placeOf(builds) : whole };
}

/** Whether `a` is older than `b`. */
const isBehind = (a: BuildPlace, b: BuildPlace): boolean =>
  a.createdAt === b.createdAt ? a.seq < b.seq : a.createdAt < b.createdAt;

const newestFirst = (builds: readonly Build[]) => builds.toSorted((a, b) => (isBehind(a, b) ? 1 : -1));

async function readSlice(
  q: Queries,
  part: Part,
  { after, limit, examined }: Page,
  searched: number,
): Promise<BuildSlice> {
  const { indexed, others, params } = conditionsOf(part);
  const where = after === null ? indexed : [...indexed, BEHIND];
  const from: SqlParams = { ...params, ...(after && { createdAt: after.createdAt, seq: after.seq }) };
  if (others.length === 0) {
    const found = await builds.all(q, `WHERE ${where.join(' AND ')} ${ORDER}`, { ...from, limit });
    return { builds: found, next: found.length < limit ? null : placeOf(found) };
  }
  const end = await (part.filter.text === null
    ? q.get<BuildPlace>(
        `SELECT created_at AS "createdAt", seq FROM builds WHERE ${where.join(' AND ')} ${ORDER} OFFSET :skipped`,
        { ...from, limit: 1, skipped: examined - 1 },
      )
    : q.get<BuildPlace>(searchedUntil(where), { ...from, limit: examined, searched }));
  const bounds = end ? ['(created_at, seq) >= (:endAt, :endSeq)'] : [];
  const found = await builds.all(q, `WHERE ${[...where, ...bounds, ...others].join(' AND ')} ${ORDER}`, {
    ...from,
    limit,
    ...(end && { endAt: end.createdAt, endSeq: end.seq }),
  });
  return { builds: found, next: found.length === limit ? placeOf(found) : (end ?? null) };
}

/** Returns SQL of the place where `limit` rows, or scripts of `searched` bytes, have been read. */
const searchedUntil = (where: readonly string[]) =>
  `SELECT created_at AS "createdAt", seq FROM (
     SELECT created_at, seq, COUNT(*) OVER sofar AS n, SUM(script_bytes) OVER sofar AS bytes FROM (
       SELECT created_at, seq, script_bytes FROM builds WHERE ${where.join(' AND ')} ${ORDER}) AS matching
     WINDOW sofar AS (ORDER BY created_at DESC, seq DESC ROWS UNBOUNDED PRECEDING)) AS counted
   WHERE n = :limit OR bytes >= :searched ORDER BY n LIMIT 1`;

function placeOf(found: readonly Build[]): BuildPlace | null {
  const last = found.at(-1);
  return last ? { createdAt: last.createdAt, seq: last.seq } : null;
}

const places = builds.pick('accountId', 'workspaceId', 'createdAt', 'seq');

/** Returns the position of a build in the order of creation, or null if there is no such build in scope. */
export async function findBuildPlace(q: Queries, scope: Scope, buildId: string): Promise<BuildPlace | null> {
  const found = await places.get(q, 'WHERE build_id = :buildId', { buildId });
  return found && isInScope(scope, found) ? found : null;
}

const ids = builds.pick('buildId');

/** Returns the id of the build at a position. */
export async function buildAt(q: Queries, { seq }: BuildPlace): Promise<string | null> {
  return (await ids.get(q, 'WHERE seq = :seq', { seq }))?.buildId ?? null;
}
