// Builds on their hosts: the desired state sent to a host, and the facts it reports.

import type { BuildResult } from '../../../shared/build.js';
import { warningsOf } from '../../../shared/build.js';
import type { Log } from '../../../shared/log.js';
import { buildWarning } from '../../../shared/messages/build-warnings.js';
import type { Message } from '../../../shared/messages/message.js';
import type { BuildFact } from '../../../shared/protocol/index.js';
import type { LinkBuilds } from '../../hosts/app/link-ports.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import { BlobError } from '../../platform/blobs/blob-error.js';
import type { DiskRoom } from '../../platform/blobs/disk-room.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { isFailedStart } from '../domain/failed-start.js';
import { endingOf } from '../domain/failure.js';
import { longestLog } from '../domain/log-budget.js';
import { lineEndFinding, scriptWarnings } from '../domain/script-lines.js';
import { unlessClosed } from '../logs/build-logs.js';
import {
  type AttemptOnHost,
  findAttempt,
  keepResult,
  readBuildsOfHost,
  recordCommit,
  recordFact,
  recordSteps,
} from '../store/build-hosts.js';
import { findAnyBuild } from '../store/builds.js';
import { endLost, endRunning } from './build-end.js';
import { scriptOf } from './build-lookup.js';
import { type DesiredBuildDeps, desiredBuild } from './desired-builds.js';
import { startAgain } from './failed-starts.js';
import type { FailureScans } from './failure-scans.js';
import { createOutputTimes } from './output-times.js';

/** Builds on their hosts. A report that names an old attempt is accepted and has no effect. */
export interface BuildRuns extends LinkBuilds {
  /** Returns null unless this attempt is running on this host. */
  assignment(hostId: string, buildId: string, attempt: number): Promise<AttemptOnHost | null>;
  /** Ends every build of a host that was disconnected too long or has been removed. */
  hostLost(hostId: string): Promise<void>;
}

export interface BuildRunsDeps extends DesiredBuildDeps {
  readonly log: Log;
  readonly lock: KeyedLock;
  readonly scans: FailureScans;
  readonly diskRoom: Pick<DiskRoom, 'left' | 'admits'>;
  /** Called in the transaction that records the commit of a running build. */
  onCommitKnown(tx: Transaction, build: Build): Promise<void>;
}

export function createBuildRuns(deps: BuildRunsDeps): BuildRuns {
  const { store, clock, logs, lock, scans } = deps;
  const outputTimes = createOutputTimes(deps);

  const seen = async (hostId: string, buildId: string, attempt: number): Promise<Build | null> => {
    const build = await findAnyBuild(store, buildId);
    const present = build?.status === 'running' && build.hostId === hostId && build.attempt === attempt;
    return present ? build : null;
  };

  const absent = (hostId: string, fact: BuildFact) =>
    lock.run(fact.build_id, async () => {
      const build = await seen(hostId, fact.build_id, fact.attempt);
      // A host that has not received the attempt yet cannot have lost it.
      if (!build || (!build.reported && build.stopReason === null)) return;
      await endLost(deps, build, 'host_lost');
    });

  return {
    async desiredBuilds(hostId, failed = raise) {
      const builds = await readBuildsOfHost(store, hostId);
      await store.durable();
      const desired = await Promise.all(builds.map((build) => desiredBuild(deps, build, failed)));
      return desired.filter((build) => build !== null);
    },

    async facts(hostId, facts) {
      const now = clock.now();
      const present = facts.filter((fact) => fact.state !== 'absent');
      if (present.length > 0) {
        await store.transaction(async (tx) => {
          for (const fact of present) {
            const { build_id: buildId, attempt, last_output_at: hostOutputAt, silent_ms: silentMs } = fact;
            const { output_report_ms: outputReportMs } = deps.limits;
            await recordFact(tx, { hostId, buildId, attempt, hostOutputAt, now, outputReportMs, silentMs });
            if (fact.steps) await noteSteps(deps, tx, { hostId, buildId, attempt, steps: fact.steps });
            const { commit_sha: commitSha, commit_about: about = null } = fact;
            if (commitSha) await noteCommit(deps, tx, { hostId, buildId, attempt, commitSha, about });
          }
        });
      }
      for (const fact of facts) if (fact.state === 'absent') await absent(hostId, fact);
    },

    output: (hostId, header, data) =>
      lock.run(header.build_id, async () => {
        const { build_id: buildId, attempt, offset } = header;
        const found = await findAttempt(store, hostId, buildId, attempt);
        if (!found) {
          // The host deletes messages once they are acknowledged.
          await store.durable();
          return { nextOffset: offset + data.length };
        }
        const start = found.logBase + offset;
        await checkRoom(deps, buildId, found.logLimit, start + data.length);
        const service = header.service?.map(([from, to]) => ({
          from: found.logBase + from,
          to: found.logBase + to,
        }));
        const appended = await unlessClosed(logs.append(buildId, start, data, service, attempt));
        // The attempt has ended since it was read: what it still sends is accepted without effect.
        if (appended === null) return { nextOffset: offset + data.length };
        const { length } = appended;
        if (data.length > 0 && length >= start + data.length) {
          outputTimes.arrived({ hostId, buildId, attempt }, header.silent_ms ?? 0);
        }
        await scans.watch({ buildId, attempt, logBase: found.logBase }, start, data, length);
        if (length >= found.logBase) return { nextOffset: length - found.logBase };
        // A power loss truncated an earlier attempt's log; fill the gap so that offsets stay valid.
        const own = { from: length + 1, to: found.logBase };
        await unlessClosed(logs.append(buildId, length, lostPiece(found.logBase - length), [own], attempt));
        return { nextOffset: 0 };
      }),

    finished: (hostId, { build_id: buildId, attempt, result }) =>
      lock.run(buildId, async () => {
        const build = await seen(hostId, buildId, attempt);
        if (build) return { resendFrom: await finish(deps, hostId, build, result) };
        await store.durable();
        return { resendFrom: null };
      }),

    assignment: (hostId, buildId, attempt) => findAttempt(store, hostId, buildId, attempt),

    async hostLost(hostId) {
      for (const { buildId, attempt } of await readBuildsOfHost(store, hostId)) {
        await lock.run(buildId, async () => {
          const build = await seen(hostId, buildId, attempt);
          if (build) await endLost(deps, build, 'host_lost');
        });
      }
    },
  };
}

/** Throws if the log would exceed the limit given to its host, or if the disk has no room for logs. */
async function checkRoom(
  { limits, diskRoom }: BuildRunsDeps,
  buildId: string,
  logLimit: number | null,
  end: number,
): Promise<void> {
  if (logLimit !== null && end > longestLog(logLimit, limits)) {
    throw new RangeError(`the log of ${buildId} would exceed its limit of ${logLimit} bytes`);
  }
  // The host buffers the output until there is room again.
  if (!(await diskRoom.admits('logs'))) {
    throw new BlobError('no_space', 'The disk of the service has no room for logs.');
  }
}

const raise = (_buildId: string, error: unknown): never => {
  throw error;
};

/** Records the commit of an attempt, if it is new. */
async function noteCommit(
  deps: BuildRunsDeps,
  tx: Transaction,
  fact: Parameters<typeof recordCommit>[1],
): Promise<void> {
  const build = await recordCommit(tx, fact);
  if (!build) return;
  await deps.onCommitKnown(tx, build);
  const { buildId, accountId, workspaceId } = build;
  tx.onCommit(() => {
    deps.wake.wake('build', buildId);
    // Lists show the title of the commit.
    deps.wake.wake('builds', String(accountId), { id: buildId, workspaceId });
  });
}

/** Records the steps of an attempt, if there is a new one. */
async function noteSteps(
  { wake }: BuildRunsDeps,
  tx: Transaction,
  fact: Parameters<typeof recordSteps>[1],
): Promise<void> {
  const place = await recordSteps(tx, fact);
  if (!place) return;
  const about = { id: fact.buildId, workspaceId: place.workspaceId };
  tx.onCommit(() => {
    wake.wake('build', fact.buildId);
    wake.wake('builds', String(place.accountId), about);
  });
}

/** Ends an attempt by its host's report. Returns the offset from which the log has to be resent first, or null. */
async function finish(deps: BuildRunsDeps, hostId: string, build: Build, result: BuildResult): Promise<number | null> {
  const { store, logs, scans } = deps;
  const { buildId, attempt } = build;
  const { commit_sha: commitSha, commit_about: about = null } = result;
  if (commitSha && build.commitSha === null)
    await store.transaction((tx) => noteCommit(deps, tx, { hostId, buildId, attempt, commitSha, about }));
  const { bytes, sha256, lost = false } = result.log;
  if (lost) {
    await store.transaction((tx) => keepResult(tx, build, result));
    await endLost(deps, build, 'log_lost');
    return null;
  }
  const stored = await unlessClosed(logs.finish(buildId, { from: build.logBase, length: bytes, sha256 }, attempt));
  if (stored === null) return null;
  if (!stored.complete) {
    scans.forget(buildId);
    await store.transaction((tx) => keepResult(tx, build, result));
    return Math.max(0, stored.wanted - build.logBase);
  }
  const failedStart = isFailedStart(result);
  if (failedStart && (await startAgain(deps, build))) {
    scans.forget(buildId);
    return null;
  }
  const { lines } = await logs.size(buildId);
  const found = await scans.explain(build, result);
  const script = (await scriptOf(store, build.accountId, build.scriptId)) ?? build.scriptExcerpt;
  const finding = lineEndFinding(script, result.exit_code, lines) ?? found;
  const ending = endingOf(result, { timeoutMin: build.timeoutMin, logLines: lines, finding });
  const cut = result.log.possibly_truncated ? [buildWarning('last_output_missing')] : [];
  const ofScript = scriptWarnings(script);
  const warnings = [...ofScript, ...warningsOf(result), ...cut, ...shortened(deps, build, result)];
  await endRunning(deps, build, ending, warnings, failedStart ? 'broken' : 'free');
  return null;
}

/** Returns the warning for a log with less than the usual limit, or null. */
function shortened({ limits }: BuildRunsDeps, { logLimit }: Build, { log }: BuildResult): Message[] {
  if (log.omitted_bytes === 0 || logLimit === null || logLimit >= limits.log_bytes) return [];
  return [buildWarning('log_limited', { bytes: logLimit })];
}

/** Returns exactly `length` bytes of filler for a lost part of the log. */
function lostPiece(length: number): Buffer {
  const text = '\n[cidermill] A part of the log was lost here.';
  return Buffer.from(`${text.slice(0, Math.max(0, length - 1)).padEnd(length - 1)}\n`);
}
