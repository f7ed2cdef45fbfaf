// Prepares the folders of a build in its Mac, and deletes its files afterwards.

import type { Clock } from '../../shared/clock.js';
import { errnoOf } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { BuildSpec } from '../../shared/protocol/index.js';
import { isDiskFull } from '../caches/step-failure.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { BuildMac, BuildPaths } from '../driver/build-mac.js';
import type { BuildLimits } from '../limits.js';

interface Preparing {
  spec: Pick<BuildSpec, 'source' | 'source_key'>;
  mac: BuildMac;
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
export async function prepareFolders({ spec, mac, limits, halt }: Preparing): Promise<BuildPaths> {
  const sourceKey = sourceKeyOf(spec);
  await mac.makeRoom(sourceKey, limits.diskReserveBytes, halt.signal);
  try {
    return await mac.prepare(sourceKey, halt.signal);
  } catch (error) {
    halt.signal.throwIfAborted();
    if (isDiskFull(error) || error instanceof BuildStepError) throw error;
    const reason = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
    throw new BuildStepError(
      'prepare',
      'workspace_failed',
      'platform',
      hostFailure('folders_not_prepared', { reason }),
      { cause: error },
    );
  }
}

/** Deletes all work folders of other sources from the build's Mac; returns how many. */
export const dropOtherWork = ({ spec, mac, halt }: Omit<Preparing, 'limits'>): Promise<number> =>
  mac.makeRoom(sourceKeyOf(spec), Number.POSITIVE_INFINITY, halt.signal);

/** Time limit of the deletion. The daemon deletes the rest later, so the end of the build is not delayed. */
const REMOVE_MS = 3_000;

/** Deletes the script, and the artifacts that were not kept. */
export async function removeBuildFiles(mac: BuildMac, clock: Clock): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), REMOVE_MS);
  try {
    await mac.removeFiles(late.signal);
  } catch {
    // The daemon deletes them together with the attempt, and reports errors.
  } finally {
    timer.cancel();
  }
}
