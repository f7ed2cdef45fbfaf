import Check from 'lucide-react/icons/check';
import type { Order, Payment } from '../../../../client/types.js';
import { Badge, type Tone } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { classNames } from '../../design/class-names.js';
import { Link } from '../../design/link.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './order.module.css';
import { hasEnded, noteOf, type Step, stepsOf } from './progress.js';
import { words } from './words.js';

const tones: Readonly<Record<Order['status'], Tone>> = {
  awaiting_payment: 'warn',
  paid: 'info',
  provisioning: 'info',
  ready: 'good',
  expired: 'neutral',
  canceled: 'neutral',
};

/** Returns the words for the status of an order. `approval`: no money moves. */
export function useStatusWord() {
  const w = useWords(words);
  return (status: Order['status'], approval: boolean): string => (approval ? w.badgeApproval : w.badge)[status];
}

export function OrderBadge({ status, approval = false }: { status: Order['status']; approval?: boolean }) {
  const word = useStatusWord();
  return <Badge tone={tones[status]}>{word(status, approval)}</Badge>;
}

/** The progress of the order. Nothing is shown until its payment has started. */
export function OrderProgress({
  order,
  payment,
  approval,
  confirming,
  moneyMoves,
  byCredit,
  receiptOf,
}: {
  order: Order;
  payment: Pick<Payment, 'status'> | null;
  approval: boolean;
  confirming: boolean;
  /** A provider really moves money. */
  moneyMoves: boolean;
  /** Credit has paid the order. */
  byCredit: boolean;
  /** Slug of the organization whose receipt the person may see; null: none. */
  receiptOf: string | null;
}) {
  const w = useWords(words);
  const format = useFormat();
  if (order.status === 'awaiting_payment' && !confirming) return null;
  const { note, money } = noteOf(order, payment, confirming);
  const texts = [note === 'begins' ? w.note.begins(format.dateTime(order.start)) : w.note[note]];
  if (money === 'back' && byCredit) texts.push(w.note.creditReturned);
  else if (money === 'back' && moneyMoves) texts.push(w.note.goesBack);
  if (money === 'none') texts.push(w.note.nothingCharged);
  if (note === 'expired') texts.push(w.note.orderAgain);
  const past = hasEnded(order) || order.status === 'ready';
  // Only http(s): other schemes, such as javascript:, are unsafe as a link.
  const receipt = /^https?:/i.test(order.receipt_url ?? '') ? order.receipt_url : null;
  return (
    <Card title={past ? w.whatWas : w.whatNow}>
      <Steps steps={stepsOf(order)} units={order.units} approval={approval} />
      <p className={styles.note}>{texts.join(' ')}</p>
      {receipt ? (
        <p className={styles.note}>
          <a href={receipt} target="_blank" rel="noopener noreferrer">
            {w.providerReceipt}
          </a>
        </p>
      ) : null}
      {receiptOf ? (
        <p className={styles.note}>
          <Link to="/o/$org/orders/$order_no/receipt" params={{ org: receiptOf, order_no: order.order_no }}>
            {w.receipt}
          </Link>
        </p>
      ) : null}
    </Card>
  );
}

function Steps({ steps, units, approval }: { steps: readonly Step[]; units: number; approval: boolean }) {
  const w = useWords(words);
  const common = useWords(shared);
  const prepared = steps.some(({ name, state }) => name === 'preparing' && state === 'done');
  const texts = {
    paid: approval ? w.stepApproved : w.stepPaid,
    longer: w.stepLonger,
    preparing: (prepared ? w.stepPrepared : w.stepPreparing)(common.macs(units)),
    ready: w.stepReady,
  };
  if (steps.length === 0) return null;
  return (
    <ol className={styles.steps}>
      {steps.map(({ name, state }) => (
        <li
          key={name}
          className={classNames(styles.step, styles[state])}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span className={styles.mark} aria-hidden="true">
            {state === 'done' ? <Check /> : null}
          </span>
          {texts[name]}
        </li>
      ))}
    </ol>
  );
}

/** How long the order can still be paid. */
export function Countdown({ order }: { order: Order }) {
  const w = useWords(words);
  const format = useFormat();
  const left = Date.parse(order.pay_expires_at) - useNow();
  return (
    <p className={styles.held} role="timer">
      {(order.kind === 'extension' ? w.heldExtension : w.held)(format.countdown(left))}
    </p>
  );
}
