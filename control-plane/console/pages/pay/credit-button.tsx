// The second way to pay an order: with the credit of the organization.
import type { PayPage } from '../../../../client/types.js';
import type { PaymentProgress } from '../../data/payment.js';
import { Button } from '../../design/button.js';
import { Link } from '../../design/link.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { rateText } from '../billing/price.js';
import styles from './pay.module.css';
import { words } from './words.js';

export interface CreditOffered {
  readonly offer: NonNullable<PayPage['credit']>;
  /** Slug of the organization. */
  readonly org: string;
  /** Throws a Failure. */
  pay(priceMicroUsd: number): Promise<PaymentProgress>;
}

type CreditButtonProps = Omit<CreditOffered, 'pay'> & { readonly pending: boolean; onPay(): void };

/** While the credit does not suffice, the way to more of it stands in place of the button. */
export function CreditButton({ offer, org, pending, onPay }: CreditButtonProps) {
  const w = useWords(words);
  const format = useFormat();
  const price = format.microUsd(offer.price_micro_usd);
  const available = format.microUsd(offer.available_micro_usd);
  if (!offer.suffices) {
    return (
      <p className={styles.credit}>
        {w.creditShort(price, available)}{' '}
        <Link to="/o/$org/billing" params={{ org }}>
          {w.topUp}
        </Link>
      </p>
    );
  }
  return (
    <div className={styles.credit}>
      <Button wide pending={pending} onClick={onPay}>
        {w.payCredit(price)}
      </Button>
      <p>{w.creditNote(available, rateText(offer.krw_per_usd, format.won))}</p>
    </div>
  );
}
