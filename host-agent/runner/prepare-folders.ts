// Prepares the folders of a build: its work folder, HOME, TMPDIR and caches of its Mac, script and artifacts.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../shared/clock.js';
import { errnoOf } from '../../shared/errno.js';
import type { BuildSpec } from '../../shared/protocol/index.js';
import { isDiskFull } from '../caches/step-failure.js';
import type { ToldFiles } from '../contract/attempt-folder.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { MacDriver, MacPaths } from '../driver/driver.js';
import { freeDisk } from '../driver/free-disk.js';
import { folderNameOf } from '../driver/work-folders.js';
import type { BuildLimits } from '../limits.js';
import { removeTree } from '../system/remove-tree.js';

interface Preparing {
  spec: Pick<BuildSpec, 'slot_id' | 'source' | 'source_key'>;
  driver: MacDriver;
  limits: Pick<BuildLimits, 'diskReserveBytes'>;
  halt: { readonly signal: AbortSignal };
}

/** Returns the key of the build's work folder, also for a control plane that does not send one. */
export function sourceKeyOf({ source, source_key }: Preparing['spec']): string {
  if (source_key !== undefined) return source_key;
  return source.kind === 'git' ? `git:${source.url}` : 'upload';
}

/**
 * Makes the folders of the build usable, after freeing disk space if needed by deleting work folders of other
 * sources.
 *
 * @throws BuildStepError (workspace_failed); the error of the file system when the disk is full
 */
export async function prepareFolders(preparing: Preparing): Promise<MacPaths> {
  const { spec, driver, limits, halt } = preparing;
  await makeRoom(preparing, limits.diskReserveBytes);
  try {
    return await driver.prepare(spec.slot_id, sourceKeyOf(spec), halt.signal);
  } catch (error) {
    halt.signal.throwIfAborted();
    if (isDiskFull(error)) throw error;
    const reason = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
    throw new BuildStepError(
      'prepare',
      'workspace_failed',
      'platform',
      `The folders of the Mac could not be prepared: ${reason}.`,
      { cause: error },
    );
  }
}

/** Deletes all work folders of other sources from the build's Mac; returns how many. */
export const dropOtherWork = (preparing: Omit<Preparing, 'limits'>): Promise<number> =>
  makeRoom(preparing, Number.POSITIVE_INFINITY);

/**
 * Deletes work folders of other sources from the build's Mac, least recently used first, until `reserveBytes` are
 * free.
 *
 * @returns the number of deleted folders
 */
function makeRoom({ spec, driver, halt }: Omit<Preparing, 'limits'>, reserveBytes: number): Promise<number> {
  return freeDisk(driver, {
    slots: [spec.slot_id],
    keep: new Set([folderNameOf(sourceKeyOf(spec))]),
    reserveBytes,
    async remove({ slotId, name }) {
      await driver.removeWorkFolder(slotId, name, halt.signal);
      return true;
    },
  });
}

/** Creates the folder of artifacts and the script. */
export function createToldFiles(told: ToldFiles, script: string): void {
  mkdirSync(told.artifacts, { recursive: true, mode: 0o700 });
  writeFileSync(told.script, script, { mode: 0o700 });
}

/** Time limit of the deletion. The daemon deletes the rest later, so the end of the build is not delayed. */
const REMOVE_MS = 3_000;

/** Deletes the script, and the artifacts that were not kept. */
export async function removeToldFiles(told: ToldFiles, clock: Clock): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), REMOVE_MS);
  try {
    await removeTree(told.folder, late.signal);
  } catch {
    // The daemon deletes them together with the attempt, and reports errors.
  } finally {
    timer.cancel();
  }
}
