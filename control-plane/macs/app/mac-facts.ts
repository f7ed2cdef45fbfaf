// Applies hosts' reports about Macs: a Mac is ready, changed or lost, which may end its job.
import { uncoded } from '../../../shared/messages/message.js';
import type { MacFact } from '../../../shared/protocol/index.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { setupIfReady } from '../domain/desired-mac.js';
import type { Mac } from '../domain/mac.js';
import { decideMacFact } from '../domain/maintenance.js';
import { type MacMaking, makingAfter } from '../domain/making.js';
import { recordProgress } from '../store/jobs.js';
import { changeMachine, readMacsOfHost } from '../store/macs.js';
import { recordMaking, recordPrepareFailure } from '../store/making.js';
import { failChange, finishJob, type JobChangeDeps, jobEnded, makingAgain, wakeForJob } from './job-changes.js';
import type { ReportedMacs } from './reported-macs.js';

export interface MacFactsDeps extends JobChangeDeps {
  readonly store: Store;
  readonly reportedMacs: ReportedMacs;
  /**
   * Called in the transaction in which a Mac becomes ready for the first time, or again after an outage; receives the
   * Mac as it was before.
   */
  readonly macReady: (tx: Transaction, before: Mac) => Promise<void>;
  /** Called in the transaction in which a Mac cannot be made again, and in which it is ready after that. */
  readonly macAvailable: (tx: Transaction, rentalId: string, available: boolean) => Promise<void>;
  /** Called after a Mac was lost with a build on it. */
  readonly buildLost: (rentalId: string, buildId: string) => Promise<void>;
}

/**
 * Records what is in the slots of this host.
 *
 * @param all the host has no other Macs than these; otherwise those that are not named are as they were
 */
export type MacFacts = (hostId: string, facts: readonly MacFact[], all?: boolean) => Promise<void>;

export function createMacFacts(deps: MacFactsDeps): MacFacts {
  const { store, clock } = deps;

  const prepared = async (tx: Transaction, mac: Mac, fact: MacFact) => {
    const readyAt = mac.readyAt ?? clock.now();
    const isChange = mac.openJob !== null && mac.openJob.kind !== 'provision';
    // A running change continues while its host is disconnected; a queued one has not started.
    const waits = isChange && mac.openJob?.status === 'queued';
    const ends = waits ? {} : await finishJob(tx, deps, mac);
    const changes = {
      ...ends,
      ...setupIfReady(mac, fact),
      readyAt,
      awaySince: null,
      repairing: false,
      making: null,
    };
    const why = isChange && !waits ? jobEnded(mac, 'job_done') : { cause: 'prepared' as const };
    await changeMachine(tx, mac, 'prepared', { at: clock.now(), ...why }, changes);
    if (mac.readyAt === null || mac.awaySince !== null) await deps.macReady(tx, mac);
    if (mac.making?.announced) await deps.macAvailable(tx, mac.rentalId, true);
  };

  /** Records how far the host is, or why it cannot make the Mac. */
  const record = async (tx: Transaction, mac: Mac, making: MacMaking) => {
    // A Mac that was never ready is announced by its order.
    const isNews = making.problem !== null && !making.announced && mac.readyAt !== null;
    await recordMaking(tx, mac, isNews ? { ...making, announced: true } : making);
    if (isNews) await deps.macAvailable(tx, mac.rentalId, false);
    tx.onCommit(() => deps.wake.wake('macs', String(mac.accountId)));
    if (making.problem?.code !== mac.making?.problem?.code) tx.onCommit(() => deps.wake.wake('operator-notices'));
  };

  /** Returns the build that was lost with the Mac. */
  const apply = async (tx: Transaction, mac: Mac, fact: MacFact): Promise<string | null> => {
    const decision = decideMacFact(mac, fact);
    switch (decision.does) {
      case 'nothing':
        return null;
      case 'progress':
        if (mac.openJob && (await recordProgress(tx, mac.openJob.jobId, decision.progress))) {
          tx.onCommit(() => {
            deps.wake.wake('jobs', mac.rentalId);
            deps.wake.wake('macs', String(mac.accountId));
          });
        }
        return null;
      case 'prepared':
        await prepared(tx, mac, fact);
        break;
      case 'job_done':
        await changeMachine(
          tx,
          mac,
          'prepared',
          { at: clock.now(), ...jobEnded(mac, 'job_done') },
          { ...(await finishJob(tx, deps, mac)), ...setupIfReady(mac, fact), making: null },
        );
        break;
      case 'job_failed':
        await failChange(tx, deps, mac, { ...decision, reason: uncoded(decision.message) });
        if (decision.mac === 'ready' && mac.awaySince !== null) await deps.macReady(tx, mac);
        break;
      case 'lost':
        await changeMachine(
          tx,
          mac,
          'lost',
          { at: clock.now(), cause: 'lost' },
          { ...makingAgain(mac, clock.now()), buildId: null },
        );
        wakeForJob(tx, deps.wake, mac);
        return mac.buildId;
      case 'not_made':
        await recordPrepareFailure(tx, mac);
        tx.onCommit(() => deps.wake.wake('orders', String(mac.accountId)));
        return null;
    }
    wakeForJob(tx, deps.wake, mac);
    return null;
  };

  return async (hostId, facts, all = false) => {
    deps.reportedMacs.take(hostId, facts, all);
    // Most facts change nothing, so check before opening a transaction.
    const before = macsByRental(await readMacsOfHost(store, hostId));
    for (const fact of facts) {
      const seen = macOf(before, fact);
      if (!seen || !isNews(seen, fact, clock.now())) continue;
      const lost = await store.transaction(async (tx) => {
        const mac = macOf(macsByRental(await readMacsOfHost(tx, hostId)), fact);
        if (!mac) return null;
        const making = makingAfter(mac, fact, clock.now());
        if (making !== null) await record(tx, mac, making);
        return { mac, buildId: await apply(tx, making === null ? mac : { ...mac, making }, fact) };
      });
      if (lost && lost.buildId !== null) await deps.buildLost(lost.mac.rentalId, lost.buildId);
    }
  };
}

const isNews = (mac: Mac, fact: MacFact, now: number) =>
  decideMacFact(mac, fact).does !== 'nothing' || makingAfter(mac, fact, now) !== null;

const macsByRental = (macs: readonly Mac[]) => new Map(macs.map((mac) => [mac.rentalId, mac]));

function macOf(macs: ReadonlyMap<string, Mac>, fact: MacFact): Mac | null {
  const mac = fact.rental_id === null ? undefined : macs.get(fact.rental_id);
  return mac && mac.slotId === fact.slot_id ? mac : null;
}
