import type { CreditPayment, Order } from '../../../../client/types.js';
import { useTierName } from '../../data/catalog.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { type Fact, Facts } from '../../design/facts.js';
import { MacLink, MacName } from '../../macs/mac-link.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { rateText } from '../billing/price.js';
import styles from './order.module.css';
import { words } from './words.js';

/** The title of an order: `Rent 2 Macs`. */
export function useOrderTitle() {
  const w = useWords(words);
  const common = useWords(shared);
  return ({ kind, units }: Pick<Order, 'kind' | 'units'>) =>
    (kind === 'rental' ? w.rentTitle : w.extendTitle)(common.macs(units));
}

export interface OrderFactsProps {
  readonly order: Order;
  readonly approval: boolean;
  readonly org: Pick<CurrentOrganization, 'id' | 'slug'>;
  /** Null: not paid with credit. */
  readonly byCredit?: CreditPayment | null;
}

/** Names that the Macs will have. */
const Names = ({ of }: { of: readonly string[] }) => (
  <ul className={styles.items}>
    {of.map((name) => (
      <li key={name}>
        <MacName>{name}</MacName>
      </li>
    ))}
  </ul>
);

/** What is ordered, for how long, and what it costs. Orders that cost nothing show no amounts. */
export function OrderFacts({ order, approval, org, byCredit = null }: OrderFactsProps) {
  const w = useWords(words);
  const format = useFormat();
  const nameOf = useTierName(org);
  const hours = w.hours(order.hours);
  const time = order.units > 1 ? w.each(hours) : hours;
  const money = order.amount_won > 0;
  const { items, rental_ids: rentals, names } = order;
  const mac = (id: string) => <MacLink id={id} name={names[rentals.indexOf(id)] ?? id} org={org.slug} />;
  const facts: Fact[] = [];
  if (order.tier !== null) facts.push({ label: w.tier, value: nameOf(order.tier) });
  if (order.kind === 'extension') {
    facts.push({ label: w.longerBy, value: time });
    facts.push({
      label: items.length > 1 ? w.macs : w.mac,
      value: (
        <ul className={styles.items}>
          {items.map((item) => (
            <li key={item.rental_id}>
              {mac(item.rental_id)}
              {items.length > 1 && money ? <span>{format.won(item.amount_won)}</span> : null}
              {item.refunded ? <span>({w.itemRefunded})</span> : null}
            </li>
          ))}
        </ul>
      ),
    });
  } else {
    facts.push({ label: w.for, value: time });
    facts.push({ label: w.start, value: order.start === 'now' ? w.now : <Time at={order.start} /> });
    if (order.setup.xcode !== null) facts.push({ label: w.xcode, value: order.setup.xcode });
    if (rentals.length === 0 && names.length > 0) {
      facts.push({ label: names.length > 1 ? w.macs : w.mac, value: <Names of={names} /> });
    }
    if (rentals.length > 0) {
      facts.push({
        label: rentals.length > 1 ? w.macs : w.mac,
        value: (
          <ul className={styles.items}>
            {rentals.map((id) => (
              <li key={id}>{mac(id)}</li>
            ))}
          </ul>
        ),
      });
    }
  }
  facts.push({ label: w.created, value: <Time at={order.created_at} /> });
  if (order.paid_at !== null) {
    facts.push({ label: approval ? w.approved : w.paid, value: <Time at={order.paid_at} /> });
  }
  if (byCredit) {
    const rate = rateText(byCredit.krw_per_usd, format.won);
    facts.push({ label: w.paidWith, value: w.creditAt(format.microUsd(byCredit.micro_usd), rate) });
  }
  if (order.refunded_at !== null) {
    facts.push({
      label: w.refunded,
      value: w.refundedOn(format.won(order.refunded_won), format.dateTime(order.refunded_at)),
    });
    if (byCredit && byCredit.returned_micro_usd > 0) {
      facts.push({ label: w.returned, value: w.credit(format.microUsd(byCredit.returned_micro_usd)) });
    }
  }
  return (
    <>
      <Facts facts={facts} />
      {money ? (
        <div className={styles.total}>
          <span>{w.total}</span>
          <span className={styles.amount}>{format.won(order.amount_won)}</span>
          <span className={styles.vat}>{w.vat(format.won(order.vat_won), format.won(order.supply_won))}</span>
        </div>
      ) : null}
    </>
  );
}
