// Requeues a build whose Mac could not be prepared, and has that Mac repaired.
import { leaveMac } from '../../macs/app/mac-builds.js';
import type { Build } from '../domain/build.js';
import { mayStartAgain } from '../domain/failed-start.js';
import { unlessClosed } from '../logs/build-logs.js';
import { changeBuildStatus } from './build-changes.js';
import type { EndDeps } from './build-end.js';

/**
 * Requeues the build and starts a repair of its Mac. Returns false if the build may not start again or has changed
 * since it was read. The caller holds the build's lock, so that no output is appended in between.
 */
export async function startAgain(deps: EndDeps, build: Build): Promise<boolean> {
  if (!mayStartAgain(build)) return false;
  const { buildId, attempt } = build;
  const marked = await unlessClosed(deps.logs.appendLine(buildId, marker(attempt + 1), attempt));
  if (marked === null) return false;
  return deps.store.transaction(async (tx) => {
    const requeued = await changeBuildStatus(tx, deps, build, 'requeue', {
      attempt: attempt + 1,
      startRetried: true,
      requeued: true,
      requeuedAt: deps.clock.now(),
      reported: false,
      lastOutputAt: null,
      logBase: marked.length,
      rentalId: null,
      hostId: null,
      startedAt: null,
      attemptStartedAt: null,
      deadlineAt: null,
    });
    if (!requeued) return false;
    const { hostId, rentalId } = build;
    if (rentalId !== null) await leaveMac(tx, deps, { buildId, rentalId }, 'broken');
    if (hostId !== null) tx.onCommit(() => deps.wake.wake('host', hostId));
    return true;
  });
}

const marker = (attempt: number) =>
  `[cidermill] The Mac could not be prepared and is being repaired. The build waits for a Mac again (attempt ${attempt}).`;
