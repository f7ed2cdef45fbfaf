// Ends the build on a Mac that is lost, or that is changed while the build runs.
import type { Message } from '../../../shared/messages/message.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Transaction } from '../../platform/store/sql.js';
import { findAnyBuild } from '../store/builds.js';
import { type EndDeps, endLost, stopRunning } from './build-end.js';

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
