// Recounts what accounts have stored and corrects the ledger if it differs, e.g. after a manual repair of the database
// or a bug. Pages are read with pauses, so that a large account does not delay other work.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { pause } from '../../../shared/pause.js';
import { allAccounts } from '../../access/app/accounts.js';
import { correctUsage, readUsage, type StoredBytes } from '../../platform/store/account-usage.js';
import type { Store } from '../../platform/store/sql.js';
import { CONTENTS_START, type ContentsPlace, contentsPage } from '../../uploads/app/stored-bytes.js';
import { outputPage } from '../store/log-usage.js';

export interface UsageCheckDeps {
  readonly store: Store;
  readonly realClock: Clock;
  readonly log: Log;
}

const PAGE = 500;
const REST_MS = 5;
/** Retries for an account that changes while it is counted; after that it is counted the next day. */
const ATTEMPTS = 3;

/** Returns the number of accounts whose ledger was corrected. */
export async function checkUsage(deps: UsageCheckDeps): Promise<number> {
  const { store, log } = deps;
  let corrected = 0;
  for (const { id: accountId } of await allAccounts(store)) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { changes, ...ledger } = await readUsage(store, accountId);
      const counted = await count(deps, accountId);
      const result = await store.transaction((tx) => correctUsage(tx, accountId, changes, counted));
      if (result === 'changed') continue;
      if (result === 'corrected') {
        corrected++;
        log.warn({ ledger, counted, account_id: accountId }, 'corrected the storage ledger of an account');
      }
      break;
    }
  }
  return corrected;
}

async function count({ store, realClock }: UsageCheckDeps, accountId: number): Promise<StoredBytes> {
  let contentsBytes = 0;
  for (let from: ContentsPlace | null = CONTENTS_START; from !== null; ) {
    const page: Awaited<ReturnType<typeof contentsPage>> = await contentsPage(store, accountId, from, PAGE);
    contentsBytes += page.bytes;
    if (page.rows === PAGE) await pause(realClock, REST_MS);
    from = page.next;
  }
  let artifactsBytes = 0;
  let logsBytes = 0;
  for (let after: string | null = ''; after !== null; ) {
    const page: Awaited<ReturnType<typeof outputPage>> = await outputPage(store, accountId, after, PAGE);
    artifactsBytes += page.artifactsBytes;
    logsBytes += page.logsBytes;
    after = page.next;
    if (after !== null) await pause(realClock, REST_MS);
  }
  return { contentsBytes, artifactsBytes, logsBytes };
}
