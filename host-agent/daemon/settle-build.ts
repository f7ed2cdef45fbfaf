// Finds out the state of a build from what exists: its process, its result, or neither.
import { pause } from '../../shared/pause.js';
import { attemptName } from '../contract/attempt-folder.js';
import { endHungProcess, endProcess, killMarked, runningProcess, waitForExit } from './end-process.js';
import { type ChannelEvents, reconnect } from './handover.js';
import { type Loss, lossResult, recordLostBuild } from './lost-build.js';
import { factOf, finishBuild, logGrew, noteSilence, type Supervision, type TrackedBuild } from './tracked-build.js';

const DROPPED_MS = 100;
/** A process that has written its result exits within this time. */
const EXIT_MS = 1_000;

/** Returns the handlers of the connection to the build's process. */
export function channelEvents(supervision: Supervision, build: TrackedBuild): ChannelEvents {
  return {
    opened(channel) {
      build.channel = channel;
      if (build.stop !== null) channel.send({ type: 'stop', reason: build.stop });
    },
    message(message) {
      if (message.type !== 'state') return void settleWithRetries(supervision, build, true);
      build.state = 'running';
      build.lastOutputAt = message.last_output_at;
      noteSilence(supervision, build, message);
      build.commitSha = message.commit_sha ?? null;
      build.commitAbout = message.commit_about ?? null;
      build.steps = message.steps ?? [];
      build.service = message.service ?? [];
      // Prefer the key that the process reported: the build may have written to its folder.
      build.resultKey = message.result_key ?? build.resultKey;
      logGrew(supervision, build, message.log_bytes);
      supervision.events.onFact(factOf(supervision, build));
    },
    hung: () => endHungProcess(supervision, build, 'it does not answer'),
    closed() {
      build.channel = null;
      void settleWithRetries(supervision, build);
    },
  };
}

/**
 * Reconnects to the build's process, or finishes the build with the result on disk, or records the build as lost.
 *
 * @param ended the process itself has reported its result. If false, a result on disk is ignored while the process
 *   runs.
 */
export async function settle(supervision: Supervision, build: TrackedBuild, ended: boolean): Promise<void> {
  const { disk, addresses, clock, builds } = supervision;
  const address = addresses.of(disk.filesOf(build.ref).control);
  const { handoverMs: waitMs, hungMs } = supervision.limits();
  const events = channelEvents(supervision, build);
  const isOpen = () => build.state !== 'finished' && builds.get(attemptName(build.ref)) === build;
  while (!supervision.closing && isOpen()) {
    const end = disk.endOf(build.ref, build.resultKey);
    if (end && ended) return finishBuild(supervision, build, end);
    if (end && (await runningProcess(supervision, build)) === null) {
      // Even if the build wrote this result itself, none of its processes may go on.
      await killMarked(supervision, build);
      return finishBuild(supervision, build, end);
    }
    const process = await reconnect(address, { clock, waitMs, hungMs, events });
    if (process === 'there') return;
    build.channel = null;
    // A process that is exiting closes its connections before it closes the socket.
    if (process === 'dropped') await pause(clock, DROPPED_MS);
    if (process === 'dropped' || supervision.closing) continue;
    if (disk.endOf(build.ref, build.resultKey)) await waitForExit(supervision, build, EXIT_MS);
    // A process that cannot be reached must not go on unsupervised.
    await endProcess(supervision, build);
    if (!disk.endOf(build.ref, build.resultKey)) await finishLost(supervision, build);
  }
}

async function finishLost(supervision: Supervision, build: TrackedBuild): Promise<void> {
  const { disk, driver, clock, limits } = supervision;
  const files = disk.filesOf(build.ref);
  const { spec, boot, logBytes, service } = build;
  const loss = await lossOf(supervision, build);
  const { killRoundsMs } = limits();
  const end = await recordLostBuild({
    files,
    spec,
    boot,
    loss,
    reported: { logBytes, service },
    driver,
    clock,
    killRoundsMs,
  });
  finishBuild(supervision, build, end);
}

async function lossOf({ boot }: Supervision, build: TrackedBuild): Promise<Loss> {
  const cause = build.boot !== (await boot) ? 'restarted' : build.hung ? 'hung' : 'ended';
  return { cause, stop: build.stop };
}

/** Like `settle`, but retries after an error, and finishes the build as lost after `settleAttempts` errors. */
export async function settleWithRetries(supervision: Supervision, build: TrackedBuild, ended = false): Promise<void> {
  const { clock, log, limits } = supervision;
  try {
    await settle(supervision, build, ended);
  } catch (error) {
    build.settleFailures += 1;
    log.error({ err: error, ...build.ref }, 'cannot determine the state of a build');
    if (build.settleFailures >= limits().settleAttempts) {
      // The result cannot be written to this disk; a later daemon comes to the same result.
      const loss = await lossOf(supervision, build);
      const result = lossResult(loss, null, [], clock.now());
      return finishBuild(supervision, build, { result, service: null });
    }
    clock.setTimeout(() => void settleWithRetries(supervision, build, ended), limits().settleRetryMs);
  }
}
