// The end of a rental: what `decideRentalEnd` decides is done here, in one transaction.

import { failJobOfEnded } from '../../macs/app/job-changes.js';
import type { Mac, Rental } from '../../macs/domain/mac.js';
import { changeRental, readDueRentals, readMacs } from '../../macs/store/macs.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { decideRentalEnd, type RunningFate } from '../domain/rental-end.js';
import { findKeptResult } from '../store/build-hosts.js';
import { readWaiting } from '../store/build-queue.js';
import { findAnyBuild } from '../store/builds.js';
import { changeBuildStatus } from './build-changes.js';
import { type EndDeps, stopRunning } from './build-end.js';

export interface RentalEndDeps extends EndDeps {
  readonly lock: KeyedLock;
}

// A rental whose build changed between being read and being locked is read again.
const PASSES = 10;

/** Ends every rental whose bought time is over; answers when the next one ends, or null. */
export async function endDueRentals(deps: RentalEndDeps): Promise<number | null> {
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueRentals(deps.store, deps.clock.now());
    if (due.length === 0 || pass === PASSES) return nextAt;
    for (const rental of due) await endRental(deps, rental);
  }
}

/** Ends a rental now. Nothing of its build's output is taken in meanwhile. */
export function endRental(deps: RentalEndDeps, rental: Pick<Rental, 'accountId' | 'rentalId' | 'buildId'>) {
  const end = () => endLocked(deps, rental);
  return rental.buildId === null ? end() : deps.lock.run(rental.buildId, end);
}

async function endLocked(
  deps: RentalEndDeps,
  { accountId, rentalId, buildId }: Pick<Rental, 'accountId' | 'rentalId' | 'buildId'>,
): Promise<void> {
  const { store, logs } = deps;
  // The log gets its marker before the new attempt can write. Should the decision change until the transaction,
  // the marker tells of a move that did not happen; should this process die, the old attempt's own account of its
  // log overwrites it.
  const ahead = await decide(store, deps, accountId, rentalId);
  if (ahead === null || (ahead.build?.buildId ?? null) !== buildId) return;
  const moves = ahead.decision.running.action === 'move' || ahead.decision.running.action === 'requeue';
  const marked =
    ahead.build && moves ? await logs.appendLine(ahead.build.buildId, marker(ahead.build.attempt + 1)) : null;

  await store.transaction(async (tx) => {
    const found = await decide(tx, deps, accountId, rentalId);
    if (found === null) return;
    const { mac, build, decision } = found;
    const now = deps.clock.now();
    await changeRental(tx, mac, 'end', { endedAt: now, buildId: null });
    await failJobOfEnded(tx, deps, mac);
    tx.onCommit(() => {
      deps.wake.wake('host', mac.hostId);
      deps.wake.wake('stock');
      deps.wake.wake('builds', String(accountId));
      deps.wake.wake('scheduler', String(accountId));
    });
    for (const { waiting, reason } of decision.expire) {
      const seen = { ...waiting, status: 'queued' } as const;
      await changeBuildStatus(tx, deps, seen, 'expire', { endedAt: now, endReason: reason });
    }
    // A build that was given to the Mac since the look ahead has no marker, and nothing in its log either.
    if (build) await settle(tx, deps, build, decision.running, marked?.length ?? build.logBase, now);
  });
}

const marker = (attempt: number) =>
  `[cidermill] The rental of this Mac has ended. The build runs again on another Mac (attempt ${attempt}).`;

async function decide(q: Queries, deps: RentalEndDeps, accountId: number, rentalId: string) {
  const macs = await readMacs(q, accountId);
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
  deps: RentalEndDeps,
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
  deps: RentalEndDeps,
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
  if (!moved || !(await changeRental(tx, mac, 'assign', { buildId: build.buildId }))) {
    throw new Error(`build ${build.buildId} could not be moved to ${mac.rentalId}`);
  }
}
