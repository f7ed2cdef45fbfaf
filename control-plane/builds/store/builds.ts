// Builds: rows in, domain types out.
import { buildResult } from '../../../shared/build.js';
import { isInScope, type Scope } from '../../platform/domain/caller.js';
import { bool, bytes, int, json, type NewOf, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Build, buildFields, type ScriptedBuild, type ToldBuild, toldFields } from '../domain/build.js';
import { findScript } from './scripts.js';

export const builds = table('builds', buildFields, {
  /** See queueClassOf. */
  queueClass: text(),
  /** Sealed. */
  notifySecret: bytes().orNull,
  /** The same for builds of one project with the same script; null: accepted before this was kept. */
  historyKey: text().orNull,
  /** By the host's clock. */
  hostOutputAt: int().orNull.initially(null),
  /** Links of earlier series are withdrawn. */
  linkSeries: int().initially(0),
  /** Kept until the log is whole. */
  finishResult: json(buildResult.parse).orNull.initially(null),
  /** Bytes of the log in the account's ledger; null until it is counted. */
  logBytes: int().orNull.initially(null),
  stalledQueue: bool().initially(false),
  stalledSilence: bool().initially(false),
});

export type NewBuild = NewOf<typeof builds.fields>;

/** Returns null if the row is out of scope. */
export async function findBuild(q: Queries, scope: Scope, buildId: string): Promise<Build | null> {
  const build = await findAnyBuild(q, buildId);
  return build && isInScope(scope, build) ? build : null;
}

/** Returns the build of any account; for hosts and workers. */
export function findAnyBuild(q: Queries, buildId: string): Promise<Build | null> {
  return builds.get(q, 'WHERE build_id = :buildId', { buildId });
}

/** Most builds that one turn reads with all fields, because each may have many warnings. */
export const BUILDS_IN_TURN = 50;

/** Returns the builds of any account that exist. */
export async function readBuildsById(q: Queries, buildIds: readonly string[]): Promise<Build[]> {
  const found: Build[] = [];
  for (const { list, params } of inChunks(buildIds)) {
    found.push(...(await builds.all(q, `WHERE build_id IN (${list})`, params)));
  }
  return found;
}

/** Returns null if the row is out of scope. */
export async function findScriptedBuild(q: Queries, scope: Scope, buildId: string): Promise<ScriptedBuild | null> {
  const build = await findBuild(q, scope, buildId);
  return build && withScript(q, build);
}

/** Reads the whole script of a build. */
export async function withScript(q: Queries, build: Build): Promise<ScriptedBuild> {
  const script = await findScript(q, build.accountId, build.scriptId);
  if (script === null) throw new Error(`the script of build ${build.buildId} is missing`);
  return { ...build, script };
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

const logStates = builds.pick('accountId', 'workspaceId', 'status', 'endedAt', 'logDeletedAt');
export type LogState = Selected<typeof logStates>;

/** Returns null if there is no such build in scope. */
export async function findLogState(q: Queries, scope: Scope, buildId: string): Promise<LogState | null> {
  const found = await logStates.get(q, 'WHERE build_id = :buildId', { buildId });
  return found && isInScope(scope, found) ? found : null;
}
