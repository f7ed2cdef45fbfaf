// When there are too few Macs: which unpaid orders hold some, what can be ordered instead, and the waitlist.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { CatalogTier } from '../../../../client/types.js';
import { catalogQuery, type QuoteWanted, useJoinWaitlist } from '../../data/catalog.js';
import type { Failure } from '../../data/failure.js';
import { ordersQuery } from '../../data/orders.js';
import { MANAGERS, useMay, useOrganization, useSendsMail } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { Note, Row } from '../../design/page.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './rent.module.css';
import { words } from './words.js';

interface UnpaidOrder {
  readonly order_no: string;
  readonly units: number;
  readonly pay_expires_at: string;
}

const unpaidOf = (failure: Failure | null): readonly UnpaidOrder[] => {
  const found = failure?.details.unpaid_orders;
  return Array.isArray(found) ? (found as UnpaidOrder[]) : [];
};

/** How many Macs the service suggests to order instead. */
function fewerOf(failure: Failure | null): number | null {
  const body = failure?.next.find(({ action }) => action === 'order_fewer')?.body as { units?: unknown } | undefined;
  return typeof body?.units === 'number' ? body.units : null;
}

const waits = (tier: CatalogTier | undefined) => tier?.waitlist.some(({ status }) => status === 'waiting') ?? false;

/**
 * @param failure the refusal of an order; null: only the quote says that there is no room
 * @param free Macs that the quote says are free
 */
export function NoRoom({
  failure,
  wanted,
  free = 0,
  onFewer,
}: {
  failure: Failure | null;
  wanted: QuoteWanted;
  free?: number;
  onFewer?(units: number): void;
}) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const org = useOrganization();
  const mayJoin = useMay(MANAGERS);
  const joinNote = useSendsMail() ? w.joinNote : w.joinNoteUnmailed;
  const now = useNow();
  const join = useJoinWaitlist(org);
  const tier = useQuery(catalogQuery(org)).data?.tiers.find((each) => each.tier === wanted.tier);
  const macs = common.macs(wanted.units);
  const open = useInfiniteQuery(ordersQuery(org, 'awaiting_payment')).data?.pages.flatMap(({ orders }) => orders) ?? [];
  const unpaid = failure
    ? unpaidOf(failure)
    : open.filter(({ kind, tier }) => kind === 'rental' && tier === wanted.tier);
  const fewer = fewerOf(failure);
  const mayWait = failure === null || failure.next.some(({ action }) => action === 'join_waitlist');
  return (
    <div className={styles.short} role={failure ? 'alert' : 'status'}>
      <h3>{w.joinTitle}</h3>
      <p>{mayWait ? w.short(failure ? (fewer ?? 0) : free, wanted.hours / 24) : w.share}</p>
      {unpaid.length > 0 ? (
        <>
          <p>{w.holdsTitle}</p>
          <ul>
            {unpaid.map((one) => (
              <li key={one.order_no}>
                <Link to="/o/$org/orders/$order_no" params={{ order_no: one.order_no }}>
                  {one.order_no}
                </Link>{' '}
                {w.holds(common.macs(one.units), format.countdown(Date.parse(one.pay_expires_at) - now))}
                {' · '}
                <Link to="/pay/$order_no" params={{ order_no: one.order_no }} reloadDocument>
                  {w.payOrCancel}
                </Link>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <Row>
        {fewer !== null && onFewer ? (
          <Button onClick={() => onFewer(fewer)}>{w.fewer(common.macs(fewer))}</Button>
        ) : null}
        {mayWait && !waits(tier) ? (
          <Button
            pending={join.isPending}
            refused={mayJoin ? null : common.needsRole(format.list([common.role.owner, common.role.admin]))}
            onClick={() => join.mutate({ tier: wanted.tier, units: wanted.units })}
          >
            {w.join(macs)}
          </Button>
        ) : null}
      </Row>
      {join.error ? <FailureNote error={join.error} /> : null}
      <Note>{mayWait ? `${joinNote} ${w.laterHint}` : w.laterHint}</Note>
    </div>
  );
}
