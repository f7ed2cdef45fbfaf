// Unpaid orders and the service's advice, each with the action at hand.

import type { ReactNode } from 'react';
import type { Advice, AgentMac, AgentStatus, UnpaidOrder } from '../../../../client/types.js';
import { macProblems } from '../../../../shared/messages/mac-problems.js';
import { say } from '../../../../shared/messages/message.js';
import { useMay } from '../../data/session.js';
import { SHOWN } from '../../data/status.js';
import { Countdown } from '../../design/amounts.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Note } from '../../design/page.js';
import { macTimeLeft } from '../../macs/time-left.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './overview.module.css';
import { shownAdvice } from './shown-advice.js';
import { words } from './words.js';

export function AttentionCard({ status }: { status: AgentStatus }) {
  const w = useWords(words);
  const { unpaid_orders: unpaid, macs } = status;
  const advice = shownAdvice(status);
  if (advice.length + unpaid.length === 0) return null;
  return (
    <Card
      title={w.attention}
      flush
      actions={
        status.advice.length < SHOWN ? null : (
          <LinkButton variant="link" to="/o/$org/macs">
            {w.macs.all}
          </LinkButton>
        )
      }
    >
      <ul className={styles.list}>
        {unpaid.map((order) => (
          <UnpaidEntry key={order.order_no} order={order} />
        ))}
        {advice.map((each) => (
          <AdviceEntry key={`${each.kind} ${each.rental_id ?? ''}`} advice={each} macs={macs} />
        ))}
      </ul>
    </Card>
  );
}

const Entry = ({ children, action }: { children: ReactNode; action: ReactNode }) => (
  <li className={styles.entry}>
    <div className={styles.grow}>{children}</div>
    {action}
  </li>
);

function UnpaidEntry({ order }: { order: UnpaidOrder }) {
  const { advice: w } = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const mayPay = useMay(['owner', 'admin']);
  const text = order.kind === 'extension' ? w.unpaidExtension : w.unpaid;
  return (
    <Entry
      action={
        mayPay ? (
          <LinkButton variant="primary" to="/pay/$order_no" params={{ order_no: order.order_no }} reloadDocument>
            {w.pay}
          </LinkButton>
        ) : (
          <LinkButton to="/o/$org/orders/$order_no" params={{ order_no: order.order_no }}>
            {w.openOrder}
          </LinkButton>
        )
      }
    >
      <p>{text(common.macs(order.units), format.won(order.amount_won))}</p>
      <Note>
        {w.held} <Countdown until={order.pay_expires_at} />
      </Note>
    </Entry>
  );
}

function AdviceEntry({ advice, macs }: { advice: Advice; macs: readonly AgentMac[] }) {
  const { advice: w, rent: rentText } = useWords(words);
  const common = useWords(shared);
  const language = useLanguage();
  const format = useFormat();
  const now = useNow();
  const mayRent = useMay(['owner', 'admin']);
  const rent = mayRent ? <LinkButton to="/o/$org/rent">{rentText}</LinkButton> : null;
  const { kind, rental_id: rentalId, quote_hint: hint } = advice;
  if (kind === 'no_active_mac') return <Entry action={rent}>{w.noMac}</Entry>;
  if (kind === 'queue_backlog') {
    const text = w.backlog(advice.queued_count ?? 0, common.macs(advice.active_macs ?? 0));
    return <Entry action={rent}>{text}</Entry>;
  }
  const mac = macs.find((each) => each.rental_id === rentalId);
  const name = advice.rental_name ?? rentalId ?? '';
  if (kind === 'mac_unavailable' && rentalId !== undefined) {
    const open = (
      <LinkButton to="/o/$org/macs/$rental_id" params={{ rental_id: rentalId }}>
        {w.open}
      </LinkButton>
    );
    return (
      <Entry action={open}>{w.unavailable(name, mac?.problem ? say(macProblems, language, mac.problem) : '')}</Entry>
    );
  }
  const canExtend = advice.next.some(({ action }) => action === 'quote_extension');
  const open =
    rentalId === undefined ? null : (
      <LinkButton to="/o/$org/macs/$rental_id" params={{ rental_id: rentalId }} hash="extend">
        {canExtend && hint && mayRent ? w.extend(format.won(hint.amount_won)) : w.open}
      </LinkButton>
    );
  // The list of Macs may be shorter than the advice.
  const left = mac ? macTimeLeft(mac, now) : (advice.remaining_s ?? 0) * 1_000;
  return <Entry action={open}>{w.ending(name, format.left(left))}</Entry>;
}
