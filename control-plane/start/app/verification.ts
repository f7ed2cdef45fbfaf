// Whether the rows of the database fit together, looked at from outside the code that writes them. Repairs nothing.

import type { Clock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { recordsDifferences } from '../../platform/store/record-count.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { contradictionsOfSlots } from '../../renting/app/availability-audit.js';
import { buildChecks } from '../store/verification/builds.js';
import { type Check, type Contradiction, findContradictions } from '../store/verification/check.js';
import { paymentChecks } from '../store/verification/payments.js';
import { rentalChecks } from '../store/verification/rentals.js';
import { storageChecks } from '../store/verification/storage.js';

export interface CheckResult {
  readonly name: string;
  readonly holds: string;
  /** The first {@link MOST} contradictions; none: it holds. */
  readonly contradictions: readonly Contradiction[];
  /** What mends it. */
  readonly repair: string;
}

/** A contradiction that is younger may be under way, ms. */
const SETTLED_AFTER_MS = 5 * 60_000;
/** More have one cause. */
export const MOST = 100;
const RECORDS_PAGE = 200;
const REST_MS = 5;

/** Checks that are more than one query. */
interface LargerCheck extends Omit<Check, 'sql'> {
  find(q: Queries, settled: number): Promise<Contradiction[]>;
}

/**
 * Makes all checks, each on one state of the database: writers are not held up, and what they do meanwhile does not matter.
 *
 * @example for await (const { name, contradictions } of verify({ store, clock, realClock })) …
 */
export async function* verify({
  store,
  clock,
  realClock,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly realClock: Clock;
}): AsyncGenerator<CheckResult, void, undefined> {
  const settled = clock.now() - SETTLED_AFTER_MS;
  const larger: readonly LargerCheck[] = [
    {
      name: 'slots',
      holds: 'A slot has one Mac at a time, and what orders and rentals say of slots agrees.',
      repair: 'by hand: two people may have been promised one Mac; end one rental with a refund',
      async find(q) {
        const found = await contradictionsOfSlots(q, settled);
        return found.slice(0, MOST).map((text) => ({ subject: text.split(' ', 1)[0] ?? '', found: text }));
      },
    },
    {
      name: 'bytes_of_records',
      holds: 'Rows that an account writes count towards its limit of records with all their bytes.',
      repair: 'by itself, within a day (the worker usage-check corrects it and logs it)',
      async find(q) {
        const counting = { dialect: store.dialect, pageRows: RECORDS_PAGE, rest: () => pause(realClock, REST_MS) };
        const found = await recordsDifferences(q, counting);
        return found.slice(0, MOST).map(({ accountId, ledger, counted }) => ({
          subject: `account ${accountId}`,
          found: `${ledger} bytes are counted; the rows have ${counted}`,
        }));
      },
    },
  ];
  for (const check of [...buildChecks, ...rentalChecks, ...paymentChecks, ...storageChecks]) {
    if (check.dialect !== undefined && check.dialect !== store.dialect) continue;
    const contradictions = await store.snapshot((q) => findContradictions(q, check, { settled, most: MOST }));
    yield resultOf(check, contradictions);
  }
  for (const check of larger) {
    yield resultOf(check, await store.snapshot((q) => check.find(q, settled)));
  }
}

const resultOf = (
  { name, holds, repair }: Omit<Check, 'sql'>,
  contradictions: readonly Contradiction[],
): CheckResult => ({
  name,
  holds,
  contradictions,
  repair,
});
