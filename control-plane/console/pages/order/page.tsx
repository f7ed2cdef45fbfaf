// `/o/:org/orders/:order_no`: one order, what happens with it, and the way to its payment.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failure } from '../../data/failure.js';
import { isConfirming, orderQuery } from '../../data/payment.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { Link } from '../../design/link.js';
import { Note, Page, Stack } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { PageMissing } from '../../shell/page-states.js';
import { useLanguage } from '../../words/language.js';
import { paymentFailure } from '../../words/payment-failure.js';
import { useWords } from '../../words/use-words.js';
import { receiptOfOrder } from '../receipt/receipt.js';
import { OrderBadge } from './order-badge.js';
import { OrderFacts, useOrderTitle } from './order-facts.js';
import { Countdown, OrderProgress } from './order-progress.js';
import { words } from './words.js';

export default function OrderPage() {
  const w = useWords(words);
  const { order_no: orderNo = '' } = useParams({ strict: false });
  const org = useOrganization();
  const language = useLanguage();
  const titleOf = useOrderTitle();
  const mayPay = useMay(MANAGERS);
  const query = useQuery(orderQuery(org, orderNo));
  const crumbs = <Link to="/o/$org/orders">{w.orders}</Link>;
  if (query.error instanceof Failure && query.error.status === 404) return <PageMissing />;
  if (!query.data) {
    return (
      <Page narrow title={w.order(orderNo)} crumbs={crumbs}>
        <QueryState query={query} lines={8} />
      </Page>
    );
  }
  const { order, pay } = query.data;
  const byCredit = pay?.credit_payment ?? null;
  const approval = pay?.provider === 'approval' && !byCredit;
  const confirming = isConfirming(query.data);
  const failed = pay?.payment?.failure_code ?? null;
  const open = order.status === 'awaiting_payment' && !confirming;
  return (
    <Page
      narrow
      title={titleOf(order)}
      lead={
        <>
          {w.order(order.order_no)} <OrderBadge order={order} approval={approval} />
        </>
      }
      crumbs={crumbs}
    >
      <Card>
        <OrderFacts order={order} approval={approval} org={org} byCredit={byCredit} />
        {open ? <Countdown order={order} /> : null}
      </Card>
      {open ? (
        <Card>
          <Stack>
            {failed === null ? null : <p>{paymentFailure(failed, language)}</p>}
            {mayPay ? (
              <LinkButton
                to="/pay/$order_no"
                params={{ order_no: order.order_no }}
                reloadDocument
                variant="primary"
                wide
              >
                {approval || order.amount_won === 0 ? w.approve : w.pay}
              </LinkButton>
            ) : (
              <Code label={w.copyAddress}>{order.pay_url}</Code>
            )}
            <Note>{mayPay ? w.payNote : w.onlyManagers}</Note>
          </Stack>
        </Card>
      ) : null}
      <OrderProgress
        order={order}
        payment={pay?.payment ?? null}
        approval={approval}
        confirming={confirming}
        moneyMoves={pay?.provider === 'portone'}
        byCredit={byCredit !== null}
        receiptOf={pay && receiptOfOrder(order, pay) ? org.slug : null}
      />
    </Page>
  );
}
