// The audit log: every action of people and operators, and of keys of the level manage. Entries of changes are written
// in the transaction of the change; failures are buffered and written in batches.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import type { Core } from '../../platform/app/core.js';
import type { AuditedAction } from '../../platform/domain/audit-entry.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import { createFailureSums, type Failure } from '../domain/failure-sums.js';
import {
  type AuditFilter,
  type AuditPage,
  type AuditPosition,
  type AuditSearch,
  insertAuditEntry,
  type NamedEntry,
  newestAuditId,
  readAuditEntries,
  searchAuditEntries,
} from '../store/audit-log.js';

export type { AuditPage, AuditPosition, AuditSearch, NamedEntry };

export interface AuditLog extends AuditSink {
  /** Writes an entry immediately, in a separate transaction. */
  write(action: AuditedAction, result: string): Promise<void>;
  /** Id of the newest entry, including failures recorded just before the call; 0 without entries. */
  newest(): Promise<number>;
  /** Entries since `since`, oldest first, of one organization or of all. Several pages need the same `upTo`. */
  read(filter: AuditFilter, page: AuditPage): Promise<NamedEntry[]>;
  /** Entries of one organization or of all, newest first, including failures recorded just before the call. */
  search(search: AuditSearch, page: AuditPage): Promise<NamedEntry[]>;
  /** Writes the buffered failures. */
  close(): Promise<void>;
}

const FLUSH_MS = 250;
const MINUTE_MS = 60_000;

/** @param deps.realClock schedules the writes; the entries' times come from `clock` */
export function createAuditLog(
  deps: Pick<Core, 'store' | 'clock' | 'wake' | 'log'> & {
    realClock: Clock;
    limits: Pick<Limits, 'audit_failures_per_minute'>;
  },
): AuditLog {
  const { store, clock, realClock, wake, limits, log } = deps;
  const sums = createFailureSums(limits.audit_failures_per_minute);
  let waiting: (Failure & { at: number })[] = [];
  let flushing: Timer | null = null;
  let minute: Timer | null = null;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  const insert = async (tx: Transaction, { action, result, count }: Failure, at: number) => {
    await insertAuditEntry(tx, { ...action, result, count, at });
    const { accountId } = action;
    if (accountId !== null) tx.onCommit(() => wake.wake('actions', String(accountId), { action: action.action }));
  };
  const writeWaiting = async () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await store.transaction(async (tx) => {
        for (const failure of batch) await insert(tx, failure, failure.at);
      });
    } catch (error) {
      log.error({ err: error, lost: batch.length }, 'failures could not be written to the audit log');
    }
  };
  const flush = () => {
    flushing?.cancel();
    flushing = null;
    writing = writing.then(writeWaiting);
    return writing;
  };
  const push = (failure: Failure) => {
    waiting.push({ ...failure, at: clock.now() });
    flushing ??= realClock.setTimeout(() => void flush(), FLUSH_MS);
  };
  const endMinute = () => {
    minute?.cancel();
    minute = null;
    for (const counted of sums.take()) push(counted);
  };
  const write = (action: AuditedAction, result: string) =>
    store.transaction((tx) => insert(tx, { action, result, count: 1 }, clock.now()));

  return {
    append: (tx, action) => insert(tx, { action, result: 'ok', count: 1 }, clock.now()),
    write,
    async succeeded(action) {
      log.debug({ action: action.action }, 'recorded an action that changed nothing in the audit log');
      await write(action, 'ok');
    },
    failed(action, code) {
      // A request whose connection ended with the service.
      if (closed) return log.info({ action: action.action, code }, 'failed after the audit log was closed');
      const first = sums.add(action, code);
      if (first) push(first);
      minute ??= realClock.setTimeout(endMinute, MINUTE_MS);
    },
    async newest() {
      await flush();
      return newestAuditId(store);
    },
    async read(filter, page) {
      await flush();
      return readAuditEntries(store, filter, page);
    },
    async search(search, page) {
      await flush();
      return searchAuditEntries(store, search, page);
    },
    async close() {
      closed = true;
      endMinute();
      await flush();
    },
  };
}
