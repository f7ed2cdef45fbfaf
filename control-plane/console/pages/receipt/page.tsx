// `/o/:org/orders/:order_no/receipt` and `/o/:org/topups/:order_id/receipt`: what was paid, to print.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import Printer from 'lucide-react/icons/printer';
import type { ReactNode } from 'react';
import { topUpQuery } from '../../data/credit.js';
import { Failure } from '../../data/failure.js';
import { orderQuery } from '../../data/payment.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { PageMissing } from '../../shell/page-states.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { useOrderTitle } from '../order/order-facts.js';
import { type ReceiptFacts, receiptOfOrder, receiptOfTopUp } from './receipt.js';
import styles from './receipt.module.css';
import { ReceiptSheet } from './receipt-sheet.js';
import { words } from './words.js';

export default function ReceiptPage() {
  const w = useWords(words);
  const { order_no: orderNo, order_id: topUpId } = useParams({ strict: false });
  if (!useMay(MANAGERS)) return <Frame title={w.none} text={w.onlyManagers} />;
  return topUpId === undefined ? <OrderReceipt orderNo={orderNo ?? ''} /> : <TopUpReceipt orderId={topUpId} />;
}

function OrderReceipt({ orderNo }: { orderNo: string }) {
  const w = useWords(words);
  const titleOf = useOrderTitle();
  const org = useOrganization();
  const query = useQuery(orderQuery(org, orderNo));
  if (!query.data) return <Loading query={query} />;
  const { order, pay } = query.data;
  return (
    <Found
      receipt={pay && receiptOfOrder(order, pay)}
      item={`${titleOf(order)}, ${w.days(order.hours / 24)}`}
      crumbs={
        <Link to="/o/$org/orders/$order_no" params={{ order_no: orderNo }}>
          {w.order(orderNo)}
        </Link>
      }
    />
  );
}

function TopUpReceipt({ orderId }: { orderId: string }) {
  const w = useWords(words);
  const format = useFormat();
  const query = useQuery(topUpQuery(useOrganization(), orderId));
  if (!query.data) return <Loading query={query} />;
  const item = w.credit(format.microUsd(query.data.credit_micro_usd));
  const crumbs = <Link to="/o/$org/billing">{w.billing}</Link>;
  return <Found receipt={receiptOfTopUp(query.data)} item={item} crumbs={crumbs} />;
}

function Loading({ query: { error, refetch } }: { query: { error: Error | null; refetch(): Promise<unknown> } }) {
  const w = useWords(words);
  if (error instanceof Failure && error.status === 404) return <PageMissing />;
  if (!error) return <Skeleton lines={8} />;
  return (
    <Page narrow title={w.none}>
      <FailureNote error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function Found({ receipt, item, crumbs }: { receipt: ReceiptFacts | null; item: string; crumbs: ReactNode }) {
  const w = useWords(words);
  if (!receipt) return <Frame title={w.none} text={w.noneText} crumbs={crumbs} />;
  return (
    <Page
      narrow
      title={w.title(receipt.number)}
      crumbs={crumbs}
      actions={
        <span className={styles.onScreen}>
          <Button icon={<Printer aria-hidden />} onClick={() => window.print()}>
            {w.print}
          </Button>
        </span>
      }
    >
      <ReceiptSheet receipt={receipt} item={item} />
    </Page>
  );
}

const Frame = ({ title, text, crumbs }: { title: string; text: string; crumbs?: ReactNode }) => (
  <Page narrow title={title} crumbs={crumbs}>
    <EmptyState title={title}>{text}</EmptyState>
  </Page>
);
