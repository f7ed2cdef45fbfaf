// A refund in two steps: first what would go back, then the same sums.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { OperatorOrderDetail } from '../../../../../client/types.js';
import { runOperation } from '../../../data/operator.js';
import { Button } from '../../../design/button.js';
import { Dialog } from '../../../design/dialog.js';
import { FailureNote } from '../../../design/failure-note.js';
import { Note } from '../../../design/page.js';
import { useFormat } from '../../../words/language.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words } from './words.js';

const planQuery = (orderNo: string) =>
  queryOptions({
    queryKey: ['operator', 'orders', 'refund-plan', orderNo],
    queryFn: () => runOperation({ name: 'order.plan-refund', input: { order_no: orderNo } }),
    staleTime: 0,
    retry: false,
  });

export function RefundDialog({ order, onClose }: { order: OperatorOrderDetail; onClose(): void }) {
  const { order_no: orderNo, rental_ids: ids, names } = order;
  const nameOf = (id: string) => names[ids.indexOf(id)];
  const w = useWords(words);
  const s = useWords(shared);
  const format = useFormat();
  const plan = useQuery(planQuery(orderNo));
  if (!plan.data) {
    return (
      <Dialog
        open
        title={w.refundTitle(orderNo)}
        onOpenChange={onClose}
        actions={<Button onClick={onClose}>{s.close}</Button>}
      >
        {plan.error ? <FailureNote error={plan.error} /> : <p role="status">{w.looking}</p>}
      </Dialog>
    );
  }
  const { refunded_won: total, orders, ended_rental_ids: ended } = plan.data;
  return (
    <OperationDialog
      open
      title={w.refundTitle(orderNo)}
      onOpenChange={onClose}
      operation={{ name: 'order.refund', input: { order_no: orderNo, expect_won: total } }}
      action={w.now(format.won(total))}
      danger
      loses={ended.map((id) => w.macEnds(nameOf(id) ? `${nameOf(id)} (${id})` : id))}
      typed={orderNo}
    >
      <p>{w.total(format.won(total))}</p>
      <ul>
        {orders.map((line) => (
          <li key={line.order_no}>
            {line.action === 'refund'
              ? line.returned_usd === null
                ? w.lineRefund(line.order_no, format.won(line.refunded_won))
                : w.lineCredit(line.order_no, format.won(line.refunded_won), line.returned_usd)
              : w.lineCancel(line.order_no)}
          </li>
        ))}
      </ul>
      <Note>{w.changed}</Note>
    </OperationDialog>
  );
}
