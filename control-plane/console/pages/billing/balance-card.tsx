import { useQuery } from '@tanstack/react-query';
import type { CreditBalance } from '../../../../client/types.js';
import { balanceQuery } from '../../data/credit.js';
import type { CurrentOrganization } from '../../data/session.js';
import { useTimeLimit } from '../../data/session.js';
import { Money } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './billing.module.css';
import { words } from './words.js';

export function BalanceCard({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const balance = useQuery(balanceQuery(org));
  return (
    <Card title={w.balance}>
      {balance.error ? (
        <FailureNote error={balance.error} onRetry={() => void balance.refetch()} />
      ) : balance.data ? (
        <Balance balance={balance.data} />
      ) : (
        <Skeleton lines={5} />
      )}
    </Card>
  );
}

/** In millionths of a dollar. */
const CENT = 10_000;

/** Returns dollars in whole cents, rounded down: never more than there is. */
const cents = (microUsd: number) => Math.floor(microUsd / CENT) / 100;

function Balance({ balance }: { balance: CreditBalance }) {
  const w = useWords(words);
  const withdrawTime = useTimeLimit('topup_withdraw_s');
  const format = useFormat();
  const { balance_micro_usd: all, reserved_micro_usd: reserved } = balance;
  return (
    <div className={styles.form}>
      <p className={styles.balance} data-debt={all < 0 || undefined}>
        {format.usd(cents(all))}
      </p>
      {all % CENT === 0 && reserved === 0 ? null : (
        <Facts
          facts={[
            { label: w.exact, value: <Money microUsd={all} /> },
            reserved > 0 && { label: w.reserved, value: <Money microUsd={reserved} /> },
            reserved > 0 && { label: w.available, value: <Money microUsd={all - reserved} /> },
          ]}
        />
      )}
      <Note>{all < 0 ? w.debt : w.balanceNote(withdrawTime)}</Note>
    </div>
  );
}
