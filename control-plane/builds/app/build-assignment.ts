// Assigns waiting builds to free Macs.
import { assignBuild } from '../../macs/app/mac-builds.js';
import { macsOf } from '../../macs/app/macs.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { Core } from '../../platform/app/core.js';
import type { DiskRoom } from '../../platform/blobs/disk-room.js';
import type { Transaction } from '../../platform/store/sql.js';
import { nextAssignment, readinessOf } from '../domain/placement.js';
import { runningPerKey } from '../domain/places.js';
import {
  accountsWithQueuedBuilds,
  hasQueued,
  readQueueClassHeads,
  readRunning,
  type WaitingBuild,
} from '../store/build-queue.js';
import { type ChangeDeps, changeBuildStatus } from './build-changes.js';
import { logLimitFor } from './log-usage.js';

export interface AssignmentDeps extends ChangeDeps, Pick<Core, 'store' | 'limits'> {
  readonly diskRoom: Pick<DiskRoom, 'left'>;
}

/**
 * Starts waiting builds.
 *
 * @param accountIds accounts whose queue or Macs have changed; if empty, all accounts with waiting builds
 */
export async function assignWaiting(deps: AssignmentDeps, accountIds: readonly number[]): Promise<void> {
  const accounts = accountIds.length > 0 ? accountIds : await accountsWithQueuedBuilds(deps.store);
  for (const accountId of accounts) await assignBuilds(deps, accountId);
}

/** Starts every build of the account that can start now and returns how many. */
export async function assignBuilds(deps: AssignmentDeps, accountId: number): Promise<number> {
  // Most wake-ups find no waiting build, e.g. those at the end of one, or no free Mac: check before opening a transaction.
  if (!(await hasQueued(deps.store, accountId))) return 0;
  const macs = await macsOf(deps.store, accountId);
  if (!macs.some((mac) => readinessOf(mac) === 'free')) return 0;
  const room = await deps.diskRoom.left();
  return deps.store.transaction(async (tx) => {
    let started = 0;
    while (await assignOne(tx, deps, accountId, room)) started++;
    return started;
  });
}

async function assignOne(tx: Transaction, deps: AssignmentDeps, accountId: number, room: number): Promise<boolean> {
  const now = deps.clock.now();
  const heads = await readQueueClassHeads(tx, accountId);
  if (heads.length === 0) return false;
  const [macs, running] = await Promise.all([macsOf(tx, accountId), readRunning(tx, accountId)]);
  const next = nextAssignment(heads, macs, runningPerKey(running), now, deps.limits);
  if (!next) return false;
  const logLimit = await logLimitFor(tx, deps.limits, { accountId, buildId: next.build.buildId }, room);
  await assign(tx, deps, next, { now, logLimit });
  return true;
}

async function assign(
  tx: Transaction,
  deps: AssignmentDeps,
  { build, mac }: { readonly build: WaitingBuild; readonly mac: Mac },
  { now, logLimit }: { readonly now: number; readonly logLimit: number },
): Promise<void> {
  const { buildId } = build;
  const started = await changeBuildStatus(tx, deps, { ...build, status: 'queued' }, 'assign', {
    rentalId: mac.rentalId,
    hostId: mac.hostId,
    startedAt: now,
    attemptStartedAt: now,
    deadlineAt: now + build.timeoutMin * 60_000,
    lastOutputAt: null,
    reported: false,
    logLimit,
  });
  // Both were read in this transaction, so neither can have changed.
  if (!started || !(await assignBuild(tx, mac, buildId, now))) {
    throw new Error(`build ${buildId} could not be given to ${mac.rentalId}`);
  }
}
