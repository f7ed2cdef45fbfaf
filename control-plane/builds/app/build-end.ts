// Ends an attempt: writes the build's final status and frees its Mac.
import { type StopReason, warningsOf } from '../../../shared/build.js';
import { cleanText } from '../../../shared/clean-text.js';
import { buildWarning, buildWarnings, firstWarnings } from '../../../shared/messages/build-warnings.js';
import { failureCause } from '../../../shared/messages/failure-causes.js';
import { type Message, withTexts } from '../../../shared/messages/message.js';
import { leaveMac, type MacLeft } from '../../macs/app/mac-builds.js';
import type { Core } from '../../platform/app/core.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import { insertBuildError } from '../../platform/store/api-errors.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { type Ending, endingOf, platformEnding, stoppedEnding, withLogLost } from '../domain/failure.js';
import { type BuildLogs, unlessClosed } from '../logs/build-logs.js';
import { findKeptResult, requestStop } from '../store/build-hosts.js';
import { findAnyBuild } from '../store/builds.js';
import { type ChangeDeps, changeBuildStatus, wakeOnCommit } from './build-changes.js';

export interface EndDeps extends ChangeDeps, Pick<Core, 'store' | 'limits'> {
  readonly logs: BuildLogs;
}

/** Ends a running build. Returns false if it has changed since it was read. */
export function endRunning(
  deps: EndDeps,
  build: Build,
  ending: Ending,
  warnings: readonly Message[] = [],
  mac: MacLeft = 'free',
): Promise<boolean> {
  const clean = (warning: Message) =>
    withTexts(buildWarnings, warning, (text) => cleanText(text, deps.limits.build_warning_chars));
  return deps.store.transaction(async (tx) => {
    const ended = await changeBuildStatus(tx, deps, build, ending.event, {
      endedAt: deps.clock.now(),
      endReason: ending.endReason,
      exitCode: ending.exitCode,
      failure: ending.failure,
      warnings: firstWarnings([...build.warnings, ...warnings.map(clean)], deps.limits.build_warnings),
    });
    if (!ended) return false;
    if (ending.event === 'fail' && ending.failure) {
      await insertBuildError(tx, { ...build, failure: ending.failure, now: deps.clock.now() });
    }
    const { buildId, rentalId } = build;
    if (rentalId !== null) await leaveMac(tx, deps, { buildId, rentalId }, mac);
    return true;
  });
}

/** unconfirmed: the host is connected and was asked to stop the build, but has not reported its end. */
export type LossReason = 'host_lost' | 'mac_lost' | 'log_lost' | 'unconfirmed';

const LOSS: Readonly<Record<LossReason, Message>> = {
  host_lost: failureCause('host_lost'),
  mac_lost: failureCause('mac_lost'),
  log_lost: failureCause('log_not_delivered'),
  unconfirmed: failureCause('end_not_reported'),
};

/**
 * Ends a running build whose host will send no further report. Uses the known outcome: a result received without its
 * complete log, or a requested stop; otherwise the build fails by the platform's fault.
 */
export async function endLost(deps: EndDeps, build: Build, reason: LossReason): Promise<boolean> {
  const result = await findKeptResult(deps.store, build.buildId);
  const line = `[cidermill] ${LOSS[reason].text} The log may not be complete.`;
  if ((await unlessClosed(deps.logs.appendLine(build.buildId, line, build.attempt))) === null) return false;
  const { lines } = await deps.logs.size(build.buildId);
  const context = { timeoutMin: build.timeoutMin, logLines: lines };
  if (result) {
    const warnings = [...warningsOf(result), buildWarning('log_end_lost')];
    return endRunning(deps, build, withLogLost(endingOf(result, context), lines), warnings);
  }
  const ending =
    build.stopReason === null
      ? platformEnding(reason === 'unconfirmed' ? 'host_lost' : reason, LOSS[reason], lines)
      : stoppedEnding(build.stopReason, null, context);
  const warnings = reason === 'unconfirmed' ? [buildWarning('end_not_confirmed')] : [];
  return endRunning(deps, build, ending, warnings, reason === 'unconfirmed' ? 'unconfirmed' : 'free');
}

/** Asks the host to stop a running build. Returns false if the build no longer runs or is already being stopped. */
export async function stopRunning(
  tx: Transaction,
  deps: ChangeDeps,
  build: Build,
  reason: StopReason,
  warning: Message | null = null,
): Promise<Build | null> {
  const stopping = await requestStop(tx, build, reason, deps.clock.now(), warning);
  if (stopping) wakeOnCommit(tx, deps.wake, stopping);
  return stopping;
}

/** Ends the build that was lost with its Mac, unless it has changed since it was read. */
export function endBuildOfLostMac(
  deps: EndDeps & { readonly lock: KeyedLock },
  rentalId: string,
  buildId: string,
): Promise<void> {
  return deps.lock.run(buildId, async () => {
    const build = await findAnyBuild(deps.store, buildId);
    if (build?.status === 'running' && build.rentalId === rentalId) await endLost(deps, build, 'mac_lost');
  });
}

/** Cancels the build for a change of its Mac. A build that is already being stopped keeps its earlier reason. */
export async function stopBuildForChange(
  tx: Transaction,
  deps: EndDeps,
  buildId: string,
  warning: Message,
): Promise<void> {
  const build = await findAnyBuild(tx, buildId);
  if (build) await stopRunning(tx, deps, build, 'cancelled_by_user', warning);
}
