// Builds: rows in, domain types out.
import { buildResult } from '../../../shared/build.js';
import { isInScope, type Scope } from '../../platform/domain/caller.js';
import { bool, bytes, int, json, type NewOf, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, SqlParams, SqlValue } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Build, type BuildStatus, buildFields, type ToldBuild, toldFields } from '../domain/build.js';

export const builds = table('builds', buildFields, {
  /** See queueClassOf. */
  queueClass: text(),
  /** Sealed. */
  notifySecret: bytes().orNull,
  /** The same for builds of one project with the same script; null: accepted before this was kept. */
  historyKey: text().orNull,
  /** By the host's clock. */
  hostOutputAt: int().orNull.initially(null),
  /** Kept until the log is whole. */
  finishResult: json(buildResult.parse).orNull.initially(null),
  /** Of the log in the account's ledger; null until it is counted. */
  logBytes: int().orNull.initially(null),
  stalledQueue: bool().initially(false),
  stalledSilence: bool().initially(false),
});

export type NewBuild = NewOf<typeof builds.fields>;

/** Returns null for a row out of scope. */
export async function findBuild(q: Queries, scope: Scope, buildId: string): Promise<Build | null> {
  const build = await findAnyBuild(q, buildId);
  return build && isInScope(scope, build) ? build : null;
}

/** Returns the build of any account; for hosts and workers. */
export function findAnyBuild(q: Queries, buildId: string): Promise<Build | null> {
  return builds.get(q, 'WHERE build_id = :buildId', { buildId });
}

const toldBuilds = builds.pick(...toldFields);

/** Returns the builds that exist, without their long fields. */
export async function readToldBuilds(q: Queries, buildIds: readonly string[]): Promise<ToldBuild[]> {
  const found: ToldBuild[] = [];
  for (const { list, params } of inChunks(buildIds)) {
    found.push(...(await toldBuilds.all(q, `WHERE build_id IN (${list})`, params)));
  }
  return found;
}

const logStates = builds.pick('accountId', 'workspaceId', 'status', 'endedAt', 'logDeletedAt', 'seq');
export type LogState = Selected<typeof logStates>;

/** Returns null if there is no such build in scope. */
export async function findLogState(q: Queries, scope: Scope, buildId: string): Promise<LogState | null> {
  const found = await logStates.get(q, 'WHERE build_id = :buildId', { buildId });
  return found && isInScope(scope, found) ? found : null;
}

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
  /** Only builds with a smaller seq. */
  readonly beforeSeq: number | null;
  readonly limit: number;
}

/** Newest first. */
export function listBuilds(
  q: Queries,
  { accountId, workspaceIds }: Scope,
  filter: BuildFilter,
): Promise<Build[]> {
  const where = ['account_id = :accountId'];
  const params: Record<string, SqlValue> = { accountId, limit: filter.limit };
  const add = (condition: string, values: SqlParams) => {
    where.push(condition);
    Object.assign(params, values);
  };
  const oneOf = (column: string, values: readonly string[]) => {
    const names = values.map((value, i) => {
      params[`${column}${i}`] = value;
      return `:${column}${i}`;
    });
    where.push(names.length > 0 ? `${column} IN (${names.join(', ')})` : '1 = 0');
  };
  if (workspaceIds !== null) oneOf('workspace_id', workspaceIds);
  if (filter.statuses !== null) oneOf('status', filter.statuses);
  if (filter.repo !== null) add('(repo = :repo OR repo_url = :repo)', { repo: filter.repo });
  if (filter.pr !== null) add('pr = :pr', { pr: filter.pr });
  if (filter.rentalId !== null) {
    add('(rental_id = :rentalId OR pinned_rental_id = :rentalId)', { rentalId: filter.rentalId });
  }
  if (filter.from !== null) add('created_at >= :from', { from: filter.from });
  if (filter.to !== null) add('created_at < :to', { to: filter.to });
  if (filter.beforeSeq !== null) add('seq < :beforeSeq', { beforeSeq: filter.beforeSeq });
  if (filter.text !== null) {
    const columns = ['repo', 'repo_url', 'ref', 'script', 'build_id'];
    add(`(${columns.map((c) => `LOWER(${c}) LIKE LOWER(:text) ESCAPE '\\'`).join(' OR ')})`, {
      text: `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`,
    });
  }
  return builds.all(q, `WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT :limit`, params);
}

/** Returns the place in creation order, for paging; null if there is no such build in scope. */
export async function seqOfBuild(q: Queries, scope: Scope, buildId: string): Promise<number | null> {
  return (await findLogState(q, scope, buildId))?.seq ?? null;
}
