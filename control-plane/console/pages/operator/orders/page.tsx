// Orders of all organizations.
import { useInfiniteQuery } from '@tanstack/react-query';
import Receipt from 'lucide-react/icons/receipt';
import type { OperatorOrder } from '../../../../../client/types.js';
import { ordersQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { Money, Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters, SearchField } from '../../../design/filters.js';
import { Link } from '../../../design/link.js';
import { Page } from '../../../design/page.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { OrderBadge } from '../../order/order-badge.js';
import { Organization } from '../host/slots-card.js';
import { AnyOf } from '../parts/filters.js';
import { PagedTable } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

const parse = ({ status, org }: RawSearch) => ({ status, org });
const statuses = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'] as const;

export default function OrdersPage() {
  const w = useWords(words);
  const p = useWords(parts);
  const s = useWords(shared);
  const [filter, setFilter] = useSearchParameters(parse);
  const query = useInfiniteQuery(ordersQuery(filter as { status?: string; org?: string }));
  const filtered = filter.status !== undefined || filter.org !== undefined;
  return (
    <Page title={w.title}>
      <Filters>
        <SearchField label={w.org} value={filter.org ?? ''} onChange={(org) => setFilter({ org })} />
        <AnyOf
          label={p.status}
          any={p.anyStatus}
          value={filter.status}
          options={statuses.map((value) => ({ value, label: s.orderStatus[value] }))}
          onChange={(status) => setFilter({ status })}
        />
      </Filters>
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          rowKey={(one) => one.order_no}
          empty={
            <EmptyState icon={<Receipt />} title={filtered ? w.noMatch : w.emptyTitle}>
              {filtered ? null : w.empty}
            </EmptyState>
          }
          columns={[
            {
              key: 'order',
              header: w.order,
              main: true,
              narrow: true,
              cell: (one) => (
                <Link to="/operator/orders/$order_no" params={{ order_no: one.order_no }}>
                  {one.order_no}
                </Link>
              ),
            },
            { key: 'org', header: p.organization, cell: (one) => <Organization of={one.organization} /> },
            { key: 'what', header: w.what, cell: (one) => <What of={one} /> },
            {
              key: 'status',
              header: p.status,
              narrow: true,
              cell: (one) => <OrderBadge order={one} />,
            },
            {
              key: 'payment',
              header: w.payment,
              narrow: true,
              cell: (one) => <Payment status={one.payment} />,
            },
            { key: 'amount', header: w.amount, numeric: true, cell: (one) => <Money won={one.amount_won} /> },
            {
              key: 'refunded',
              header: w.refunded,
              numeric: true,
              cell: (one) => (one.refunded_won === 0 ? '' : <Money won={one.refunded_won} />),
            },
            { key: 'created', header: w.created, narrow: true, cell: (one) => <Time at={one.created_at} /> },
          ]}
        />
      </Card>
    </Page>
  );
}

export function What({ of }: { of: Pick<OperatorOrder, 'kind' | 'tier' | 'hours' | 'units'> }) {
  const w = useWords(words);
  const text = of.kind === 'extension' ? w.extension(of.units, of.hours) : w.rental(of.units, of.hours);
  return <>{[of.tier, text].filter(Boolean).join(' · ')}</>;
}

const doubtful: readonly string[] = ['confirming', 'late', 'failed'];

export function Payment({ status }: { status: string | null }) {
  const w = useWords(words);
  if (status === null) return null;
  const text = w.payments[status as 'paid'] ?? status;
  return doubtful.includes(status) ? <Badge tone="warn">{text}</Badge> : text;
}
