// `/pay/topup/:order_id`: an owner or admin agrees to a top-up and pays it.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../data/session.js';
import { type PayableTopUp, payableTopUpQuery, useTopUpStep } from '../../data/top-up-payment.js';
import { Money } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Page, Row } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { rateText } from '../billing/price.js';
import { topUpTones } from '../billing/tones.js';
import { words as billing } from '../billing/words.js';
import { PaymentForm } from '../pay/payment-form.js';
import styles from './top-up.module.css';
import { words } from './words.js';

export default function TopUpPage() {
  const { order_id: orderId = '' } = useParams({ strict: false });
  const w = useWords(words);
  const { organizations, user } = useSession();
  const found = useQuery(payableTopUpQuery(organizations, orderId));
  if (found.data) return <PayableTopUpPage found={found.data} />;
  if (found.data === null) {
    return (
      <Page title={w.missingTitle} lead={w.missing(orderId, user.email)}>
        <Row>
          <LinkButton to="/">{w.home}</LinkButton>
        </Row>
      </Page>
    );
  }
  if (found.error) {
    return (
      <Page title={w.failedTitle}>
        <FailureNote error={found.error} onRetry={() => void found.refetch()} />
      </Page>
    );
  }
  return <Skeleton lines={8} />;
}

function PayableTopUpPage({ found }: { found: PayableTopUp }) {
  const w = useWords(words);
  const b = useWords(billing);
  const format = useFormat();
  const { user } = useSession();
  const { organization, topUp } = found;
  const { status, provider } = topUp;
  const approval = provider === 'approval';
  const left = Date.parse(topUp.expires_at) - useNow();
  return (
    <Page
      title={w.title(format.usd(topUp.usd))}
      lead={
        <>
          {w.ofOrganization(organization.name, topUp.order_id)}{' '}
          <Badge tone={topUpTones[status]}>{b.statuses[status]}</Badge>
        </>
      }
    >
      <Announcement status={status} text={b.statuses[status]} />
      <Card>
        <Facts
          facts={[
            { label: b.credit, value: <Money microUsd={topUp.credit_micro_usd} /> },
            {
              label: b.rate,
              value: `${b.perDollar(rateText(topUp.fixed_krw_per_usd, format.won))} · ${format.date(topUp.fx_day)} · ${b.sources[topUp.fx_source]}`,
            },
            { label: b.supply, value: <Money won={topUp.supply_krw} /> },
            { label: b.vat, value: <Money won={topUp.vat_krw} /> },
          ]}
        />
        <p className={styles.total}>
          <span>{b.price}</span>
          <span className={styles.amount}>
            <Money won={topUp.amount_krw} />
          </span>
        </p>
        {status === 'pending' ? (
          <p className={styles.held} role="timer">
            {w.held(format.countdown(left))}
          </p>
        ) : null}
      </Card>
      {status === 'pending' ? (
        <Card title={approval ? w.approve : w.pay}>
          <TopUpPaymentForm found={found} />
          <CancelTopUp found={found} />
        </Card>
      ) : (
        <Outcome found={found} />
      )}
      <Note>{w.signedInAs(user.email)}</Note>
    </Page>
  );
}

function TopUpPaymentForm({ found }: { found: PayableTopUp }) {
  const w = useWords(words);
  const step = useTopUpStep(found);
  const { topUp } = found;
  return (
    <PaymentForm
      amountWon={topUp.amount_krw}
      pay={topUp}
      lead={w.lead[topUp.provider]}
      send={async (act) => {
        const { status, payment } = await step.mutateAsync(act);
        return { open: status === 'pending', payment };
      }}
    />
  );
}

/** What became of it, and what to do next. */
function Outcome({ found: { organization, topUp } }: { found: PayableTopUp }) {
  const w = useWords(words);
  const b = useWords(billing);
  const format = useFormat();
  const { status } = topUp;
  if (status === 'pending') return null;
  const org = organization.slug;
  const text = topUp.failure_code === 'late_payment' ? b.late : w.outcome[status];
  return (
    <Card title={status === 'paid' ? w.done : w.whatNow}>
      <div className={styles.outcome}>
        <p>{text}</p>
        {status === 'paid' && topUp.withdrawable_until !== null ? (
          <p>{w.withdrawable(format.dateTime(topUp.withdrawable_until))}</p>
        ) : null}
        <Row>
          <LinkButton to="/o/$org/billing" params={{ org }} variant="primary">
            {w.toBilling}
          </LinkButton>
          {topUp.receipt_url ? (
            <a href={topUp.receipt_url} target="_blank" rel="noopener noreferrer">
              {b.receipt}
            </a>
          ) : null}
        </Row>
      </div>
    </Card>
  );
}

function CancelTopUp({ found }: { found: PayableTopUp }) {
  const b = useWords(billing);
  const [open, setOpen] = useState(false);
  const cancel = useTopUpStep(found);
  return (
    <div className={styles.cancel}>
      <Button variant="link" onClick={() => setOpen(true)}>
        {b.cancelTopUp}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={b.cancelTitle}
        action={b.cancelTopUp}
        dismiss={b.keep}
        danger={false}
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate({ path: 'cancel' }, { onSuccess: () => setOpen(false) })}
      >
        {b.cancelText}
      </ConfirmDialog>
    </div>
  );
}

/** Announces to screen readers that the status has changed. */
function Announcement({ status, text }: { status: string; text: string }) {
  const w = useWords(words);
  const first = useRef(status);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (status !== first.current) setChanged(true);
  }, [status]);
  return (
    <p className="unseen" role="status">
      {changed ? w.changed(text) : ''}
    </p>
  );
}
