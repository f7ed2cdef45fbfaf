// Waits for a build: for its end, or for any change of it.
import { type WaitDeps, waitUntil } from '../../platform/app/wait-until.js';
import type { Scope } from '../../platform/domain/caller.js';
import { type Build, hasEnded, type ScriptedBuild } from '../domain/build.js';
import { buildVersion } from '../domain/build-version.js';
import type { BuildLogs } from '../logs/build-logs.js';
import type { PlacedBuild } from './queue.js';

export interface BuildWaitingDeps extends WaitDeps {
  readonly logs: BuildLogs;
}

/**
 * @param existing returns the build or throws build_not_found
 * @param placed adds its place in the queue
 */
export function createBuildWaiting(
  deps: BuildWaitingDeps,
  existing: (scope: Scope, buildId: string) => Promise<Build>,
  placed: (build: Build) => Promise<PlacedBuild<ScriptedBuild>>,
) {
  return {
    /** Returns the build once it has ended, or as it is after `ms` of real time or when `signal` aborts. */
    async wait(scope: Scope, buildId: string, ms: number, signal: AbortSignal): Promise<PlacedBuild<ScriptedBuild>> {
      const ended = (build: Build) => hasEnded(build.status);
      const on = { topic: 'build', key: buildId, ms, signal } as const;
      return placed(await waitUntil(deps, on, () => existing(scope, buildId), ended));
    },

    /**
     * Returns the build once its version is another one than `since`, at once if it has ended: nothing changes after that.
     * Null when `ms` of real time pass without a change, or `signal` aborts.
     */
    async waitForChange(
      scope: Scope,
      buildId: string,
      since: string,
      ms: number,
      signal: AbortSignal,
    ): Promise<PlacedBuild<ScriptedBuild> | null> {
      const changed = (build: Build) => hasEnded(build.status) || buildVersion(build) !== since;
      const on = { topic: 'build', key: buildId, ms, signal } as const;
      const build = await waitUntil(deps, on, () => existing(scope, buildId), changed);
      return changed(build) ? placed(build) : null;
    },

    /** The last line of its log, as it was printed; null without output. */
    lastLine: (buildId: string) => lastLine(deps.logs, buildId),
  };
}

/** Bytes of a log's end in which the last line is looked for. */
const END_BYTES = 4096;

/**
 * Returns the last line of a build's log that has text, or what a progress bar wrote last in it; null without output. Of a
 * longer line its end. As it was printed: escape sequences included.
 */
async function lastLine(logs: BuildLogs, buildId: string): Promise<string | null> {
  const length = await logs.bytes(buildId);
  if (length === 0) return null;
  const { data } = await logs.read(buildId, Math.max(0, length - END_BYTES), END_BYTES, true);
  const lines = data.toString('utf8').split(/[\r\n]+/);
  return lines.findLast((line) => line.trim() !== '') ?? null;
}
