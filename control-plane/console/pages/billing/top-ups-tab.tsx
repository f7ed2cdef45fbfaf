import { useInfiniteQuery } from '@tanstack/react-query';
import Wallet from 'lucide-react/icons/wallet';
import { useState } from 'react';
import type { TopUp } from '../../../../client/types.js';
import { topUpsQuery, useCancelTopUp } from '../../data/credit.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Money, Time } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { LoadMore } from '../../design/load-more.js';
import { Row } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { paymentFailure } from '../../words/payment-failure.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './billing.module.css';
import { rateText } from './price.js';
import { topUpTones } from './tones.js';
import { WithdrawDialog } from './withdraw-dialog.js';
import { words } from './words.js';

const MINUTE_MS = 60_000;

/** Whether some of it can be withdrawn, according to the list. */
const isWithdrawable = (topUp: TopUp, now: number) =>
  topUp.status === 'paid' &&
  topUp.amount_krw > topUp.cancelled_krw + topUp.withdrawing_krw &&
  topUp.withdrawable_until !== null &&
  Date.parse(topUp.withdrawable_until) > now;

export function TopUpsTab({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const list = useInfiniteQuery(topUpsQuery(org));
  const [chosen, setChosen] = useState<{ readonly topUp: TopUp; readonly act: 'withdraw' | 'cancel' } | null>(null);
  const columns = useColumns(setChosen);
  if (list.isPending) return <Skeleton lines={5} />;
  if (!list.data) return <FailureNote error={list.error} onRetry={() => void list.refetch()} />;
  const rows = list.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState icon={<Wallet />} title={w.noTopUps}>
          {w.noTopUpsText}
        </EmptyState>
      </Card>
    );
  }
  const close = () => setChosen(null);
  return (
    <>
      <Card flush>
        <Table label={w.tabs.topups} columns={columns} rows={rows} rowKey={({ order_id }) => order_id} />
      </Card>
      <LoadMore shown={rows.length} query={list} />
      {chosen?.act === 'withdraw' ? (
        <WithdrawDialog key={chosen.topUp.order_id} org={org} topUp={chosen.topUp} onClose={close} />
      ) : null}
      {chosen?.act === 'cancel' ? <CancelDialog org={org} topUp={chosen.topUp} onClose={close} /> : null}
    </>
  );
}

function useColumns(choose: (chosen: { topUp: TopUp; act: 'withdraw' | 'cancel' }) => void): Column<TopUp>[] {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow(MINUTE_MS);
  return [
    {
      key: 'id',
      header: w.number,
      main: true,
      cell: ({ order_id, created_at }) => (
        <div>
          <code>{order_id}</code>
          <span className={styles.below}>
            <Time at={created_at} />
          </span>
        </div>
      ),
    },
    { key: 'status', header: w.status, narrow: true, cell: (topUp) => <StatusOf topUp={topUp} /> },
    {
      key: 'credit',
      header: w.credit,
      numeric: true,
      cell: (topUp) => <Money microUsd={topUp.credit_micro_usd} />,
    },
    {
      key: 'price',
      header: w.price,
      numeric: true,
      cell: (topUp) => (
        <div>
          <Money won={topUp.amount_krw} />
          <span className={styles.below}>{w.perDollar(rateText(topUp.fixed_krw_per_usd, format.won))}</span>
        </div>
      ),
    },
    {
      key: 'back',
      header: w.paidBack,
      numeric: true,
      cell: ({ cancelled_krw, withdrawing_krw }) => (
        <div>
          {cancelled_krw > 0 ? <Money won={cancelled_krw} /> : '–'}
          {withdrawing_krw > 0 ? <span className={styles.below}>{w.onTheWay(format.won(withdrawing_krw))}</span> : null}
        </div>
      ),
    },
    buttonColumn(w.actions, (topUp) => (
      <Row>
        {topUp.status === 'pending' ? (
          <>
            <LinkButton
              small
              variant="primary"
              to="/pay/topup/$order_id"
              params={{ order_id: topUp.order_id }}
              reloadDocument
            >
              {w.pay}
            </LinkButton>
            <Button small onClick={() => choose({ topUp, act: 'cancel' })}>
              {w.cancel}
            </Button>
          </>
        ) : null}
        {isWithdrawable(topUp, now) ? (
          <Button small onClick={() => choose({ topUp, act: 'withdraw' })}>
            {w.withdraw}
          </Button>
        ) : null}
        {topUp.paid_at === null || topUp.status === 'failed' ? null : (
          <Link to="/o/$org/topups/$order_id/receipt" params={{ order_id: topUp.order_id }}>
            {w.receipt}
          </Link>
        )}
      </Row>
    )),
  ];
}

function StatusOf({ topUp }: { topUp: TopUp }) {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  const late = topUp.failure_code === 'late_payment';
  const note = late
    ? w.late
    : topUp.status === 'failed' || topUp.status === 'pending'
      ? topUp.failure_code && paymentFailure(topUp.failure_code, language)
      : topUp.status === 'paid' && topUp.withdrawable_until
        ? w.withdrawableUntil(format.dateTime(topUp.withdrawable_until))
        : null;
  return (
    <div>
      <Badge tone={topUpTones[topUp.status]}>{w.statuses[topUp.status]}</Badge>
      {note ? <span className={styles.below}>{note}</span> : null}
    </div>
  );
}

function CancelDialog({ org, topUp, onClose }: { org: CurrentOrganization; topUp: TopUp; onClose(): void }) {
  const w = useWords(words);
  const cancel = useCancelTopUp(org);
  return (
    <ConfirmDialog
      open
      title={w.cancelTitle}
      onOpenChange={onClose}
      action={w.cancelTopUp}
      dismiss={w.keep}
      danger={false}
      pending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(topUp.order_id, { onSuccess: onClose })}
    >
      {w.cancelText}
    </ConfirmDialog>
  );
}
