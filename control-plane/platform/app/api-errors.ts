// Buffers failed requests in memory and writes them in batches, so that not every failure needs a transaction.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { redact } from '../../../shared/redact.js';
import type { Caller, Scope } from '../domain/caller.js';
import { type ApiError, errorCatalog } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { ErrorFilter, RecordedError } from '../domain/recorded-error.js';
import { insertError, listErrors, trimErrors } from '../store/api-errors.js';
import type { Store } from '../store/sql.js';

export type ApiErrors = ReturnType<typeof createApiErrors>;

const FLUSH_MS = 250;
const LONGEST_TEXT = 1_000;

/** @param realClock schedules the writes; recorded times come from `clock` */
export function createApiErrors(deps: { store: Store; clock: Clock; realClock: Clock; limits: Limits; log: Log }) {
  const { store, clock, realClock, limits, log } = deps;
  let waiting: Omit<RecordedError, 'id'>[] = [];
  let dropped = 0;
  let timer: Timer | null = null;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await store.transaction(async (tx) => {
        for (const error of batch) await insertError(tx, error);
        for (const accountId of new Set(batch.map((error) => error.accountId))) {
          await trimErrors(tx, accountId, limits.errors_kept);
        }
      });
    } catch (error) {
      log.error({ err: error, lost: batch.length }, 'errors of requests could not be written');
    }
    if (dropped > 0) log.warn({ dropped }, 'too many errors at once; some were not kept');
    dropped = 0;
  };
  const flush = () => {
    timer?.cancel();
    timer = null;
    writing = writing.then(write);
    return writing;
  };

  return {
    record(
      error: ApiError,
      { requestId, method, path }: { requestId: string; method: string; path: string },
      caller: Caller,
    ): void {
      if (waiting.length >= limits.errors_waiting) {
        dropped++;
        return;
      }
      const { status, fault } = errorCatalog[error.code];
      waiting.push({
        accountId: caller.account.id,
        keyId: caller.key?.id ?? null,
        keyName: caller.key?.name ?? null,
        kind: 'api',
        at: clock.now(),
        code: error.code,
        httpStatus: status,
        fault,
        message: redact(error.message).slice(0, LONGEST_TEXT),
        requestId,
        method,
        path: redact(path).slice(0, LONGEST_TEXT),
        buildId: null,
        failureMessage: null,
        reasonCode: null,
      });
      timer ??= realClock.setTimeout(() => void flush(), FLUSH_MS);
    },
    /**
     * Returns errors newest first: of keys and builds in scope, and of people. Includes those recorded just before the call.
     */
    async list(scope: Scope, filter: ErrorFilter): Promise<RecordedError[]> {
      await flush();
      return listErrors(store, scope, filter);
    },
    /** Writes errors that are still in memory. */
    async close(): Promise<void> {
      await flush();
    },
  };
}
