// `/o/:org/orders?status=`: the organization's orders.
import { useInfiniteQuery } from '@tanstack/react-query';
import Receipt from 'lucide-react/icons/receipt';
import type { Order, OrderStatus } from '../../../../client/types.js';
import { useTierName } from '../../data/catalog.js';
import { ordersQuery } from '../../data/orders.js';
import { type RawSearch, useSearchParameters } from '../../data/search.js';
import { type CurrentOrganization, MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { RelativeTime } from '../../design/amounts.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Filters } from '../../design/filters.js';
import { Link } from '../../design/link.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { Skeleton } from '../../design/skeleton.js';
import { type Column, Table } from '../../design/table.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { OrderBadge } from '../order/order-badge.js';
import { words as orderWords } from '../order/words.js';
import { words } from './words.js';

const statuses = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'] as const;

const parse = ({ status }: RawSearch): OrderStatus | null => statuses.find((each) => each === status) ?? null;

export default function OrdersPage() {
  const w = useWords(words);
  const common = useWords(shared);
  const org = useOrganization();
  const [status, setSearch] = useSearchParameters(parse);
  const query = useInfiniteQuery(ordersQuery(org, status));
  const orders = query.data?.pages.flatMap((page) => page.orders);
  const columns = useColumns(org, orders?.some(({ amount_won }) => amount_won > 0) ?? false);
  const rent = (
    <LinkButton to="/o/$org/rent" variant="primary">
      {w.rent}
    </LinkButton>
  );
  return (
    <Page title={w.title} actions={orders?.length === 0 && status === null ? null : rent}>
      <Filters>
        <Select
          inline
          label={w.status}
          value={status ?? ''}
          options={[
            { value: '', label: w.all },
            ...statuses.map((value) => ({ value, label: { ...common.orderStatus, ...w.filter }[value] })),
          ]}
          onChange={(value) => setSearch({ status: value })}
        />
      </Filters>
      {query.error && !orders ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Skeleton lines={6} /> : null}
      {orders?.length === 0 ? (
        <EmptyState
          icon={<Receipt />}
          title={status === null ? w.empty : w.emptyFiltered}
          action={
            status === null ? rent : <Button onClick={() => setSearch({ status: undefined })}>{w.showAll}</Button>
          }
        >
          {status === null ? w.emptyText : null}
        </EmptyState>
      ) : null}
      {orders && orders.length > 0 ? (
        <Card flush>
          <Table label={w.title} columns={columns} rows={orders} rowKey={({ order_no }) => order_no} />
          <LoadMore shown={orders.length} query={query} />
        </Card>
      ) : null}
    </Page>
  );
}

/** @param money some of the orders cost something */
function useColumns(org: CurrentOrganization, money: boolean): Column<Order>[] {
  const w = useWords(words);
  const o = useWords(orderWords);
  const common = useWords(shared);
  const format = useFormat();
  const nameOf = useTierName(org);
  const mayPay = useMay(MANAGERS);
  return [
    {
      key: 'order',
      header: w.order,
      main: true,
      narrow: true,
      cell: ({ order_no }) => (
        <Link to="/o/$org/orders/$order_no" params={{ order_no }}>
          <code>{order_no}</code>
        </Link>
      ),
    },
    {
      key: 'what',
      header: w.what,
      cell: ({ kind, units, tier }) =>
        kind === 'rental' ? o.rental(common.macs(units), nameOf(tier ?? '')) : o.extension(common.macs(units)),
    },
    { key: 'time', header: w.time, cell: ({ hours }) => o.hours(hours) },
    ...(money
      ? [
          {
            key: 'amount',
            header: w.amount,
            numeric: true,
            cell: ({ amount_won }: Order) => format.won(amount_won),
          },
        ]
      : []),
    { key: 'status', header: w.status, cell: (order) => <OrderBadge order={order} /> },
    {
      key: 'ordered',
      header: w.ordered,
      narrow: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      key: 'pay',
      header: w.pay,
      quiet: true,
      narrow: true,
      cell: (order) => (order.status === 'awaiting_payment' && mayPay ? <PayLink order={order} /> : null),
    },
  ];
}

function PayLink({ order }: { order: Order }) {
  const w = useWords(words);
  const format = useFormat();
  const left = Date.parse(order.pay_expires_at) - useNow();
  if (left <= 0) return null;
  return (
    <LinkButton small to="/pay/$order_no" params={{ order_no: order.order_no }} reloadDocument>
      {w.pay} · {w.left(format.countdown(left))}
    </LinkButton>
  );
}
