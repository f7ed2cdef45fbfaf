// The folders that a build begins with: its own work folder, and HOME, TMPDIR and caches of its Mac.
import type { BuildSpec } from '../../shared/protocol/index.js';
import { isDiskFull } from '../caches/step-failure.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { MacDriver, MacPaths } from '../driver/driver.js';
import { freeDisk } from '../driver/free-disk.js';
import { folderNameOf } from '../driver/work-folders.js';
import type { BuildLimits } from '../limits.js';
import { errnoOf } from '../system/errno.js';

interface Preparing {
  spec: Pick<BuildSpec, 'slot_id' | 'source' | 'source_key'>;
  driver: MacDriver;
  limits: Pick<BuildLimits, 'diskReserveBytes'>;
  halt: { readonly signal: AbortSignal };
}

/** What the build's work folder is kept for, also where the control plane does not say it. */
export function sourceKeyOf({ source, source_key }: Preparing['spec']): string {
  if (source_key !== undefined) return source_key;
  return source.kind === 'git' ? `git:${source.url}` : 'upload';
}

/**
 * Makes the folders of the build usable, with room on the disk if work folders of other sources can make it.
 *
 * @throws BuildStepError workspace_failed; what the file system throws when the disk is full
 */
export async function prepareFolders(preparing: Preparing): Promise<MacPaths> {
  const { spec, driver, limits, halt } = preparing;
  await makeRoom(preparing, limits.diskReserveBytes);
  try {
    return await driver.prepare(spec.slot_id, sourceKeyOf(spec), halt.signal);
  } catch (error) {
    halt.signal.throwIfAborted();
    if (isDiskFull(error)) throw error;
    const told = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
    throw new BuildStepError(
      'prepare',
      'workspace_failed',
      'platform',
      `The folders of the Mac could not be prepared: ${told}.`,
      { cause: error },
    );
  }
}

/** Removes all work folders of other sources from the build's Mac; returns how many. */
export const dropOtherWork = (preparing: Omit<Preparing, 'limits'>): Promise<number> =>
  makeRoom(preparing, Number.POSITIVE_INFINITY);

/**
 * Removes work folders of other sources from the build's Mac, least recently used first, until so much is free.
 *
 * @returns how many were removed
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
