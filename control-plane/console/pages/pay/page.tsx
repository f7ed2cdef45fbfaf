// `/pay/:order_no`: an owner or admin agrees to an order and pays it; all members see its status.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Failure } from '../../data/failure.js';
import {
  isConfirming,
  type PayableOrder,
  type PaymentAct,
  type PayState,
  payableOrderQuery,
  usePaymentStep,
} from '../../data/payment.js';
import { useSession, useSignOut } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Page, Row } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useWords } from '../../words/use-words.js';
import { OrderBadge, usePhaseWord } from '../order/order-badge.js';
import { OrderFacts, useOrderTitle } from '../order/order-facts.js';
import { Countdown, OrderProgress } from '../order/order-progress.js';
import { phaseOf } from '../order/progress.js';
import { words as orderWords } from '../order/words.js';
import { receiptOfOrder } from '../receipt/receipt.js';
import { CancelOrder } from './cancel-order.js';
import { PaymentForm } from './payment-form.js';
import { words } from './words.js';

export default function PayPage() {
  const { order_no: orderNo = '' } = useParams({ strict: false });
  const w = useWords(words);
  const { organizations, user } = useSession();
  const found = useQuery(payableOrderQuery(organizations, orderNo));
  const { data, error } = found;
  if (data) return <PayableOrderPage found={data} />;
  if (data === null) return <Stop title={w.missingTitle} text={w.missing(orderNo, user.email)} />;
  if (error instanceof Failure && error.code === 'organization_suspended') {
    return <Stop title={w.suspendedTitle} text={w.suspended} />;
  }
  if (error) {
    return (
      <Page title={w.failedTitle}>
        <FailureNote error={error} onRetry={() => void found.refetch()} />
      </Page>
    );
  }
  return <Skeleton lines={8} />;
}

/** Instead of an order. */
function Stop({ title, text }: { title: string; text: string }) {
  const w = useWords(words);
  const signOut = useSignOut();
  const navigate = useNavigate();
  const next = location.pathname;
  return (
    <Page title={title} lead={text}>
      <Row>
        <Button
          pending={signOut.isPending}
          onClick={() =>
            signOut.mutate(undefined, {
              onSuccess: () => void navigate({ to: '/sign-in', search: { next } as never }),
            })
          }
        >
          {w.otherPerson}
        </Button>
      </Row>
    </Page>
  );
}

function PayableOrderPage({ found }: { found: PayableOrder }) {
  const w = useWords(words);
  const o = useWords(orderWords);
  const titleOf = useOrderTitle();
  const { order, organization, pay } = found;
  const byCredit = pay?.credit_payment ?? null;
  const approval = pay?.provider === 'approval' && !byCredit;
  const confirming = isConfirming(found);
  const open = order.status === 'awaiting_payment' && !confirming;
  const { user } = useSession();
  const org = organization.slug;
  return (
    <Page
      title={titleOf(order)}
      lead={
        <>
          {o.ofOrganization(organization.name, order.order_no)} <OrderBadge order={order} approval={approval} />
        </>
      }
    >
      <Announcement found={found} />
      <Card>
        <OrderFacts order={order} approval={approval} org={organization} byCredit={byCredit} />
        {open ? <Countdown order={order} /> : null}
      </Card>
      {open && pay ? (
        <Card title={approval ? w.approve : w.pay}>
          <OrderPaymentForm found={found} pay={pay} />
          <CancelOrder found={found} />
        </Card>
      ) : null}
      {open && !pay ? <Note>{w.onlyManagers}</Note> : null}
      <OrderProgress
        order={order}
        payment={pay?.payment ?? null}
        approval={approval}
        confirming={confirming}
        moneyMoves={pay === null || pay.provider === 'portone'}
        byCredit={byCredit !== null}
        receiptOf={pay && receiptOfOrder(order, pay) ? org : null}
      />
      {order.status === 'awaiting_payment' ? null : (
        <Row>
          <LinkButton to="/o/$org/macs" params={{ org }}>
            {w.toOrganization}
          </LinkButton>
        </Row>
      )}
      <Note>{w.signedInAs(user.email)}</Note>
    </Page>
  );
}

function OrderPaymentForm({ found, pay }: { found: PayableOrder; pay: PayState }) {
  const w = useWords(words);
  const step = usePaymentStep(found.order.order_no);
  const send = async (act: PaymentAct) => {
    const { order, payment } = await step.mutateAsync({ found, act });
    return { open: order.status === 'awaiting_payment', payment };
  };
  return (
    <PaymentForm
      amountWon={found.order.amount_won}
      pay={pay}
      lead={w.lead[pay.provider]}
      send={send}
      {...(pay.credit
        ? {
            credit: {
              offer: pay.credit,
              org: found.organization.slug,
              pay: (priceMicroUsd: number) => send({ path: 'pay-with-credit', priceMicroUsd }),
            },
          }
        : {})}
    />
  );
}

/** Announces to screen readers that the status has changed. */
function Announcement({ found: { order, pay } }: { found: PayableOrder }) {
  const w = useWords(words);
  const word = usePhaseWord();
  const phase = phaseOf(order);
  const first = useRef(phase);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (phase !== first.current) setChanged(true);
  }, [phase]);
  return (
    <p className="unseen" role="status">
      {changed ? w.changed(word(phase, pay?.provider === 'approval')) : ''}
    </p>
  );
}
