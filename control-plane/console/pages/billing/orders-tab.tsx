// What orders of Macs cost, with receipts and refunds.
import { useInfiniteQuery } from '@tanstack/react-query';
import Receipt from 'lucide-react/icons/receipt';
import type { Order } from '../../../../client/types.js';
import { ordersQuery } from '../../data/orders.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Money, Time } from '../../design/amounts.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { LoadMore } from '../../design/load-more.js';
import { Skeleton } from '../../design/skeleton.js';
import { type Column, Table } from '../../design/table.js';
import { useWords } from '../../words/use-words.js';
import { OrderBadge } from '../order/order-badge.js';
import styles from './billing.module.css';
import { words } from './words.js';

export function OrdersTab({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const list = useInfiniteQuery(ordersQuery(org, null));
  const columns = useColumns();
  if (list.isPending) return <Skeleton lines={5} />;
  if (!list.data) return <FailureNote error={list.error} onRetry={() => void list.refetch()} />;
  const rows = list.data.pages.flatMap(({ orders }) => orders);
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState icon={<Receipt />} title={w.noOrders} action={<LinkButton to="/o/$org/rent">{w.rent}</LinkButton>}>
          {w.noOrdersText}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card flush>
        <Table label={w.tabs.orders} columns={columns} rows={rows} rowKey={({ order_no }) => order_no} />
      </Card>
      <LoadMore shown={rows.length} query={list} />
    </>
  );
}

function useColumns(): Column<Order>[] {
  const w = useWords(words);
  return [
    {
      key: 'order',
      header: w.order,
      main: true,
      cell: ({ order_no, created_at }) => (
        <div>
          <Link to="/o/$org/orders/$order_no" params={{ order_no }}>
            <code>{order_no}</code>
          </Link>
          <span className={styles.below}>
            <Time at={created_at} />
          </span>
        </div>
      ),
    },
    {
      key: 'status',
      header: w.status,
      narrow: true,
      cell: (order) => <OrderBadge order={order} />,
    },
    { key: 'amount', header: w.amount, numeric: true, cell: ({ amount_won }) => <Money won={amount_won} /> },
    { key: 'vat', header: w.vat, numeric: true, cell: ({ vat_won }) => <Money won={vat_won} /> },
    {
      key: 'paid',
      header: w.paidAt,
      cell: ({ paid_at }) => (paid_at === null ? '–' : <Time at={paid_at} />),
    },
    {
      key: 'refunded',
      header: w.refunded,
      numeric: true,
      cell: ({ refunded_won, refunded_at }) =>
        refunded_won === 0 ? (
          '–'
        ) : (
          <div>
            <Money won={refunded_won} />
            {refunded_at === null ? null : (
              <span className={styles.below}>
                <Time at={refunded_at} />
              </span>
            )}
          </div>
        ),
    },
    {
      key: 'receipt',
      header: w.receipt,
      quiet: true,
      narrow: true,
      cell: ({ order_no, paid_at, amount_won }) =>
        paid_at === null || amount_won === 0 ? (
          '–'
        ) : (
          <Link to="/o/$org/orders/$order_no/receipt" params={{ order_no }}>
            {w.receipt}
          </Link>
        ),
    },
  ];
}
