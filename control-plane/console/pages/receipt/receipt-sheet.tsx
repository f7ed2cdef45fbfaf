// The receipt itself, as it is printed.
import { useOrganization } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { type Fact, Facts } from '../../design/facts.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words as payWords } from '../pay/words.js';
import type { ReceiptFacts } from './receipt.js';
import styles from './receipt.module.css';
import { words } from './words.js';

export function ReceiptSheet({ receipt, item }: { receipt: ReceiptFacts; item: string }) {
  const w = useWords(words);
  const format = useFormat();
  const org = useOrganization();
  const { paidWith, seller, amountWon, refundedWon } = receipt;
  const byCredit = paidWith.by === 'credit';
  const sums: Fact[] = [
    ...(byCredit
      ? []
      : [
          { label: w.supply, value: format.won(receipt.supplyWon) },
          { label: w.vat, value: format.won(receipt.vatWon) },
        ]),
    { label: w.total, value: <strong>{format.won(amountWon)}</strong> },
    ...(refundedWon === 0
      ? []
      : [
          { label: w.refunded, value: format.won(-refundedWon) },
          { label: w.left, value: <strong>{format.won(amountWon - refundedWon)}</strong> },
        ]),
  ];
  return (
    <Card>
      {paidWith.by === 'sandbox' ? <p className={styles.simulated}>{w.simulated}</p> : null}
      <Facts
        facts={[
          seller !== null && { label: w.seller, value: <span className={styles.lines}>{seller}</span> },
          { label: w.buyer, value: org.name },
          { label: w.paidAt, value: <Time at={receipt.paidAt} /> },
          { label: w.paidWith, value: <PaidWith receipt={receipt} /> },
          receipt.paymentId !== null && { label: w.paymentId, value: <code>{receipt.paymentId}</code> },
          { label: w.item, value: item },
        ]}
      />
      <div className={styles.sums}>
        <Facts facts={sums} />
      </div>
      {byCredit ? <p className={styles.note}>{w.vatOfCredit}</p> : null}
    </Card>
  );
}

function PaidWith({ receipt: { paidWith, method } }: { receipt: ReceiptFacts }) {
  const w = useWords(words);
  const { methods } = useWords(payWords);
  const format = useFormat();
  if (paidWith.by === 'credit') return w.paidByCredit(format.microUsd(paidWith.microUsd));
  const names: Readonly<Record<string, string>> = methods;
  return [method === null ? null : (names[method] ?? method), w.by[paidWith.by]].filter(Boolean).join(', ');
}
