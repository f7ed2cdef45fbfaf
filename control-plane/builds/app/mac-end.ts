// Applies `decideRentalEnd` to a Mac's builds in one transaction.

import { assignBuild } from '../../macs/app/mac-builds.js';
import { macsOf } from '../../macs/app/macs.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { decideRentalEnd, type RunningFate } from '../domain/rental-end.js';
import { unlessClosed } from '../logs/build-logs.js';
import { findKeptResult } from '../store/build-hosts.js';
import { readWaiting } from '../store/build-queue.js';
import { findAnyBuild } from '../store/builds.js';
import { changeBuildStatus } from './build-changes.js';
import { type EndDeps, stopRunning } from './build-end.js';

export interface MacEndDeps extends EndDeps {
  readonly lock: KeyedLock;
}

/** Removes the Mac in the transaction that settles its builds. */
type TakeAway = (tx: Transaction, mac: Mac) => Promise<void>;

/**
 * Removes a Mac and settles the build that runs on it and those that wait for it. Does nothing if the Mac runs another
 * build than `seen` by then. Holds the build's lock, so that no output is appended in between.
 */
export function endMacWithBuilds(deps: MacEndDeps, seen: SeenMac, takeAway: TakeAway): Promise<void> {
  const end = () => endLocked(deps, seen, takeAway);
  return seen.buildId === null ? end() : deps.lock.run(seen.buildId, end);
}

type SeenMac = Pick<Mac, 'accountId' | 'rentalId' | 'buildId'>;

async function endLocked(
  deps: MacEndDeps,
  { accountId, rentalId, buildId }: SeenMac,
  takeAway: TakeAway,
): Promise<void> {
  const { store, logs } = deps;
  // The marker line is appended before the new attempt can write. If the decision changes before the transaction, the
  // marker describes a move that did not happen; if the process is killed here, the old attempt's final report
  // truncates it.
  const ahead = await decide(store, deps, accountId, rentalId);
  if (ahead === null || (ahead.build?.buildId ?? null) !== buildId) return;
  const moves = ahead.decision.running.action === 'move' || ahead.decision.running.action === 'requeue';
  const { build } = ahead;
  const mark = async ({ buildId, attempt }: Pick<Build, 'buildId' | 'attempt'>) =>
    unlessClosed(logs.appendLine(buildId, marker(attempt + 1), attempt));
  const marked = build && moves ? await mark(build) : null;

  await store.transaction(async (tx) => {
    const found = await decide(tx, deps, accountId, rentalId);
    if (found === null) return;
    const { mac, build, decision } = found;
    const now = deps.clock.now();
    await takeAway(tx, mac);
    tx.onCommit(() => {
      deps.wake.wake('builds', String(accountId));
      deps.wake.wake('scheduler', String(accountId));
    });
    for (const { waiting, reason } of decision.expire) {
      const seen = { ...waiting, status: 'queued' } as const;
      await changeBuildStatus(tx, deps, seen, 'expire', { endedAt: now, endReason: reason });
    }
    // A build assigned to the Mac since the first read has no marker, and an empty log.
    if (build) await settle(tx, deps, build, decision.running, marked?.length ?? build.logBase, now);
  });
}

const marker = (attempt: number) =>
  `[cidermill] The rental of this Mac has ended. The build runs again on another Mac (attempt ${attempt}).`;

async function decide(q: Queries, deps: MacEndDeps, accountId: number, rentalId: string) {
  const macs = await macsOf(q, accountId);
  const mac = macs.find((candidate) => candidate.rentalId === rentalId);
  if (!mac) return null;
  const queued = await readWaiting(q, accountId);
  const build = mac.buildId === null ? null : await findAnyBuild(q, mac.buildId);
  const stopRequested =
    build !== null && (build.stopReason !== null || (await findKeptResult(q, build.buildId)) !== null);
  const running = build && { ...build, timeoutMs: build.timeoutMin * 60_000, stopRequested };
  const decision = decideRentalEnd({ rentalId, macs, running, queued, now: deps.clock.now() });
  return { mac, build, decision };
}

async function settle(
  tx: Transaction,
  deps: MacEndDeps,
  build: Build,
  fate: RunningFate,
  logBase: number,
  now: number,
): Promise<void> {
  const again = { attempt: build.attempt + 1, reported: false, lastOutputAt: null, logBase };
  switch (fate.action) {
    case 'none':
      return;
    case 'stop':
      await stopRunning(tx, deps, build, 'rental_ended');
      return;
    case 'move':
      await move(tx, deps, build, fate.mac, { ...again, attemptStartedAt: now }, now);
      return;
    case 'requeue':
      await changeBuildStatus(tx, deps, build, 'requeue', {
        ...again,
        requeued: true,
        requeuedAt: now,
        rentalId: null,
        hostId: null,
        startedAt: null,
        attemptStartedAt: null,
        deadlineAt: null,
      });
  }
}

async function move(
  tx: Transaction,
  deps: MacEndDeps,
  build: Build,
  mac: Mac,
  again: {
    attempt: number;
    reported: boolean;
    lastOutputAt: null;
    logBase: number;
    attemptStartedAt: number;
  },
  now: number,
): Promise<void> {
  const moved = await changeBuildStatus(tx, deps, build, 'move', {
    ...again,
    rentalId: mac.rentalId,
    hostId: mac.hostId,
    deadlineAt: now + build.timeoutMin * 60_000,
  });
  if (!moved || !(await assignBuild(tx, mac, build.buildId, now))) {
    throw new Error(`build ${build.buildId} could not be moved to ${mac.rentalId}`);
  }
}
