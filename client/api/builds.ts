import { calledWith, methodsOf, withNamed } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import {
  cancelBuild,
  changeBuild,
  createBuild,
  getBuild,
  getBuildFailure,
  listBuilds,
  rerunBuild,
  waitForBuild,
} from '../operations/api.js';
import type { MethodsOf, Operation } from '../operations/operation.js';
import type { Build, BuildBrief, WaitForBuildQuery } from '../types.js';
import { type BuildLogApi, buildLogApi } from './build-log.js';
import { LONGEST_WAIT_S, type LongestWait } from './longest-wait.js';

/** The query decides which of its answers come. */
type Waiting<Answer> = Operation<(id: string, query: WaitForBuildQuery) => Answer>;

const operations = {
  /** Submits a build; it waits in the account's queue for a Mac. */
  create: createBuild,
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  list: listBuilds,
  get: getBuild,
  /** Why a build failed, with the lines around the cause and what to do; for a build in any state. */
  failure: getBuildFailure,
  /** Cancels a queued or running build; an ended one stays as it is. */
  cancel: cancelBuild,
  /** Submits the request of a build again, for the same commit or upload. */
  rerun: rerunBuild,
  /** 1 starts before 0; only while queued. */
  setPriority: calledWith(changeBuild, (id: string, priority: 0 | 1) => [id, { priority }]),
  /** Waits up to `timeoutS` seconds (1 to 60) for the build's end and returns the build. */
  wait: withNamed(waitForBuild as Waiting<Build>, (id: string, { timeoutS = LONGEST_WAIT_S }: LongestWait) => [
    id,
    { timeout: timeoutS },
  ]),
  /**
   * Waits up to `timeoutS` seconds (1 to 60) for another version of the build than `since`, and returns its short form, below
   * 300 bytes; null when nothing changed. `'0'` answers at once, as does a build that has ended.
   *
   * @example
   * for (let seen = await client.builds.waitForChange(id, '0'); seen && !hasEnded(seen); ) {
   *   console.log(seen.phase, seen.last_line);
   *   seen = (await client.builds.waitForChange(id, seen.version)) ?? seen;
   * }
   */
  waitForChange: withNamed(
    waitForBuild as Waiting<BuildBrief | null>,
    (id: string, since: string, { timeoutS = LONGEST_WAIT_S }: LongestWait) => [
      id,
      { since, view: 'brief' as const, timeout: timeoutS },
    ],
  ),
};

export interface BuildsApi extends MethodsOf<typeof operations, CallOptions> {
  /** Waits for the build's end, however long it takes. */
  waitUntilEnded(id: string, options?: CallOptions): Promise<Build>;
  readonly log: BuildLogApi;
}

/** True for a status that a build never leaves. */
export function hasEnded(build: { status: Build['status'] }): boolean {
  return build.status !== 'queued' && build.status !== 'running';
}

export function buildsApi(wire: Wire): BuildsApi {
  const methods = methodsOf(wire, operations);
  return {
    ...methods,
    async waitUntilEnded(id, options) {
      for (;;) {
        const build = await methods.wait(id, options);
        if (hasEnded(build)) return build;
      }
    },
    log: buildLogApi(wire),
  };
}
