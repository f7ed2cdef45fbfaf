// Recounts what accounts have stored and corrects the ledger if it differs, e.g. after a manual repair of the database
// or a bug. Pages are read with pauses, so that a large account does not delay other work.
import type { Clock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { allAccounts } from '../../access/app/organizations.js';
import type { Core } from '../../platform/app/core.js';
import { correctUsage, readUsage, type StoredBytes } from '../../platform/store/account-usage.js';
import { readMeta, writeMeta } from '../../platform/store/meta.js';
import { correctRecords, recordsDifferences } from '../../platform/store/record-count.js';
import { RECORDS_UNCOUNTED } from '../../platform/store/record-triggers.js';
import { CONTENTS_START, type ContentsPlace, contentsPage } from '../../uploads/app/stored-bytes.js';
import { outputPage } from '../store/log-usage.js';

export interface UsageCheckDeps extends Pick<Core, 'store' | 'log'> {
  readonly realClock: Clock;
}

const PAGE = 500;
/** Fewer, since many columns of each row are measured. */
const RECORDS_PAGE = 200;
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

const YES = 'yes';
const NO = 'no';

/**
 * Recounts the records of all accounts in one state of the database. Returns the number of accounts whose ledger was
 * corrected. After an upgrade this counts the rows that were written before the ledger.
 */
export async function checkRecords({ store, realClock, log }: UsageCheckDeps): Promise<number> {
  const first = (await readMeta(store, RECORDS_UNCOUNTED)) === YES;
  const counting = { dialect: store.dialect, pageRows: RECORDS_PAGE, rest: () => pause(realClock, REST_MS) };
  const differences = await store.snapshot((q) => recordsDifferences(q, counting));
  if (!first && differences.length === 0) return 0;
  await store.transaction(async (tx) => {
    await correctRecords(tx, differences);
    await writeMeta(tx, RECORDS_UNCOUNTED, NO);
  });
  if (first) log.info({ accounts: differences.length }, 'counted the records of all accounts');
  else {
    for (const { accountId, ledger, counted } of differences) {
      log.warn({ ledger, counted, account_id: accountId }, 'corrected the ledger of records of an account');
    }
  }
  return differences.length;
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
