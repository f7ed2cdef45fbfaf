import Check from 'lucide-react/icons/check';
import type { Order, Payment } from '../../../../client/types.js';
import { Card } from '../../design/card.js';
import { classNames } from '../../design/class-names.js';
import { Link } from '../../design/link.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './order.module.css';
import { isPast, noteOf, phaseOf, type Step, stepsOf } from './progress.js';
import { words } from './words.js';

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
  const phase = phaseOf(order);
  const texts = [
    note === 'begins'
      ? w.note.begins(format.dateTime(order.rentals_start_at ?? order.start))
      : note === 'ended'
        ? w.note.ended(order.rental_ids.length, format.dateTime(order.rentals_ended_at ?? order.created_at))
        : w.note[note],
  ];
  if (money === 'back' && byCredit) texts.push(w.note.creditReturned);
  else if (money === 'back' && moneyMoves) texts.push(w.note.goesBack);
  if (money === 'none') texts.push(w.note.nothingCharged);
  if (note === 'expired') texts.push(w.note.orderAgain);
  // Only http(s): other schemes, such as javascript:, are unsafe as a link.
  const receipt = /^https?:/i.test(order.receipt_url ?? '') ? order.receipt_url : null;
  return (
    <Card title={isPast(phase) ? w.whatWas : w.whatNow}>
      <Steps steps={stepsOf(order, phase)} order={order} approval={approval} />
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

function Steps({ steps, order, approval }: { steps: readonly Step[]; order: Order; approval: boolean }) {
  const { units, rentals_start_at: begins, start } = order;
  const format = useFormat();
  const w = useWords(words);
  const common = useWords(shared);
  const prepared = steps.some(({ name, state }) => name === 'preparing' && state === 'done');
  const texts = {
    paid: approval ? w.stepApproved : w.stepPaid,
    begins: begins === null ? start : w.stepBegins(format.dateTime(begins)),
    longer: w.stepLonger,
    preparing: (prepared ? w.stepPrepared : w.stepPreparing)(common.macs(units)),
    ready: w.stepReady,
    ended: w.stepEnded(units),
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
