// One order with its payment and refunds.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperatorOrderDetail } from '../../../../../client/types.js';
import { orderQuery } from '../../../data/operator.js';
import { Money, Time } from '../../../design/amounts.js';
import { Card } from '../../../design/card.js';
import { DangerCard } from '../../../design/danger-card.js';
import { Facts } from '../../../design/facts.js';
import { Link } from '../../../design/link.js';
import { Columns, Note, Page } from '../../../design/page.js';
import { useWords } from '../../../words/use-words.js';
import { OrderBadge } from '../../order/order-badge.js';
import { Organization } from '../host/slots-card.js';
import { Payment, What } from '../orders/page.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { Loaded } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { UnsettledTable } from '../payments/unsettled-table.js';
import { RefundDialog } from './refund-dialog.js';
import { SettlementsCard } from './settlements-card.js';
import { words } from './words.js';

export default function OrderPage() {
  const w = useWords(words);
  const { order_no = '' } = useParams({ strict: false }) as { order_no?: string };
  const query = useQuery(orderQuery(order_no));
  const order = query.data;
  return (
    <Page
      title={w.title(order_no)}
      crumbs={<Link to="/operator/orders">{w.all}</Link>}
      lead={order ? <OrderBadge order={order} /> : undefined}
    >
      <Loaded query={query}>
        {(found) => (
          <>
            <Columns>
              <OrderFacts order={found} />
              <PaymentFacts order={found} />
            </Columns>
            <Card title={w.refunds} flush={found.refunds.length > 0}>
              {found.refunds.length === 0 ? (
                <Note>{w.noRefunds}</Note>
              ) : (
                <UnsettledTable label={w.refunds} rows={found.refunds} settled={settledOf(found)} />
              )}
            </Card>
            {found.settlements.length > 0 ? <SettlementsCard rows={found.settlements} /> : null}
            <Danger order={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const settledOf = ({ settlements }: OperatorOrderDetail): ReadonlySet<string> =>
  new Set(settlements.filter((one) => one.settled_at !== null).map((one) => one.id));

function Danger({ order }: { order: OperatorOrderDetail }) {
  const w = useWords(words);
  const [asked, setAsked] = useState<'refund' | 'cancel' | null>(null);
  const isRefundable = order.paid_at !== null && order.refunded_won < order.amount_won;
  const cancel = { action: w.cancel, text: w.cancelText, onSelect: () => setAsked('cancel') };
  const refund = { action: w.refund, text: w.refundText, onSelect: () => setAsked('refund') };
  return (
    <>
      <DangerCard
        actions={[...(order.status === 'awaiting_payment' ? [cancel] : []), ...(isRefundable ? [refund] : [])]}
      />
      {asked === 'refund' ? <RefundDialog order={order} onClose={() => setAsked(null)} /> : null}
      <OperationDialog
        open={asked === 'cancel'}
        onOpenChange={() => setAsked(null)}
        title={w.cancelTitle(order.order_no)}
        operation={{ name: 'order.cancel', input: { order_no: order.order_no } }}
        action={w.cancel}
        danger
        loses={[w.cancelLoses]}
      >
        <p>{w.cancelText}</p>
      </OperationDialog>
    </>
  );
}

function OrderFacts({ order }: { order: OperatorOrderDetail }) {
  const w = useWords(words);
  const p = useWords(parts);
  return (
    <Card title={w.facts}>
      <Facts
        facts={[
          { label: p.organization, value: <Organization of={order.organization} /> },
          { label: w.what, value: <What of={order} /> },
          { label: w.amount, value: <Money won={order.amount_won} /> },
          order.refunded_won > 0 && { label: w.refunded, value: <Money won={order.refunded_won} /> },
          { label: w.created, value: <Time at={order.created_at} /> },
          order.paid_at !== null && { label: w.paid, value: <Time at={order.paid_at} /> },
          order.ended_at !== null && { label: w.ended, value: <Time at={order.ended_at} /> },
          order.end_reason !== null && {
            label: w.reason,
            value: w.reasons[order.end_reason as 'expired'] ?? order.end_reason,
          },
          order.rental_ids.length > 0 && {
            label: w.macs,
            value: order.rental_ids.map((id, at) => `${order.names[at]} (${id})`).join(', '),
          },
        ]}
      />
    </Card>
  );
}

function PaymentFacts({ order }: { order: OperatorOrderDetail }) {
  const w = useWords(words);
  const p = useWords(parts);
  return (
    <Card title={w.payment}>
      <Facts
        facts={[
          { label: p.status, value: order.payment === null ? '–' : <Payment status={order.payment} /> },
          order.provider !== null && { label: w.provider, value: order.provider },
          order.method !== null && { label: w.method, value: order.method },
          order.receipt_url !== null && {
            label: w.receipt,
            value: (
              <a href={order.receipt_url} target="_blank" rel="noreferrer">
                {w.open}
              </a>
            ),
          },
        ]}
      />
    </Card>
  );
}
