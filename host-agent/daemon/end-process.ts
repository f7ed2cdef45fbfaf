// Finds and ends the process of a build, and everything that the build started.
import { isVirtual } from '../../shared/drivers.js';
import { pause } from '../../shared/pause.js';
import { buildFiles, processMark } from '../contract/attempt-folder.js';
import { BUILD_COMMAND } from '../contract/build-command.js';
import { killUntilGone } from '../driver/kill-until-gone.js';
import { hasArgument } from '../driver/process-table.js';
import { killGroup } from '../system/kill-group.js';
import type { Supervision, TrackedBuild } from './tracked-build.js';

const CHECK_AGAIN_MS = 100;

/** Returns the id of the build's process if it still runs, otherwise null. */
export async function runningProcess({ disk }: Supervision, build: TrackedBuild): Promise<number | null> {
  const pid = disk.processOf(build.ref);
  return pid !== null && (await hasArgument(pid, BUILD_COMMAND)) ? pid : null;
}

/**
 * Kills every process that carries the build's mark, and the descendants of `ancestor`. If its virtual machine does not
 * answer, the build's supervisor in it ends them.
 */
export async function killMarked(
  { driver, clock, limits, log }: Supervision,
  build: TrackedBuild,
  ancestor?: number,
): Promise<void> {
  const mark = processMark(buildFiles(driver.runs(build.spec.slot_id), build.ref));
  const processes = { mark, session: null, ancestor };
  const kill = () => driver.signal(build.spec.slot_id, processes, 'SIGKILL');
  try {
    await killUntilGone(kill, clock, limits().killRoundsMs);
  } catch (error) {
    if (!isVirtual(driver.kind)) throw error;
    log.warn({ err: error, ...build.ref }, 'cannot end the processes of a build in its virtual machine');
  }
}

/** Kills what the build started, then the build's own process if it still runs. */
export async function endProcess(supervision: Supervision, build: TrackedBuild): Promise<void> {
  const pid = await runningProcess(supervision, build);
  if (pid === null) return;
  // Descendants can be found only while their ancestor lives, so the ancestor is killed last.
  await killMarked(supervision, build, pid);
  killGroup(pid, 'SIGKILL');
}

/** Ends the process of a build that does not answer or does not stop. */
export function endHungProcess(supervision: Supervision, build: TrackedBuild, why: string): void {
  const { log } = supervision;
  log.error({ ...build.ref }, `killing the process of a build: ${why}`);
  build.hung = true;
  endProcess(supervision, build).catch((error: unknown) => {
    log.error({ err: error, ...build.ref }, 'cannot kill the process of a build');
  });
}

/** Resolves when the build's process has exited, or after `ms`. */
export async function waitForExit(supervision: Supervision, build: TrackedBuild, ms: number): Promise<void> {
  const { clock } = supervision;
  const deadline = clock.monotonic() + ms;
  while ((await runningProcess(supervision, build)) !== null && clock.monotonic() < deadline) {
    await pause(clock, CHECK_AGAIN_MS);
  }
}
