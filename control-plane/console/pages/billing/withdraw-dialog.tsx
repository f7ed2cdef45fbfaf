// How much of a top-up goes back, and what that takes.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TopUp, TopUpDetail } from '../../../../client/types.js';
import { topUpQuery, useWithdraw } from '../../data/credit.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Money } from '../../design/amounts.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { NumberField } from '../../design/number-field.js';
import { Note } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { creditGone } from './price.js';
import { words } from './words.js';

export function WithdrawDialog({ org, topUp, onClose }: { org: CurrentOrganization; topUp: TopUp; onClose(): void }) {
  const w = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const detail = useQuery({ ...topUpQuery(org, topUp.order_id), staleTime: 0 });
  const withdraw = useWithdraw(org);
  const [wanted, setWanted] = useState<number | null | undefined>();
  const most = detail.data?.withdrawable_krw ?? 0;
  const krw = wanted === undefined ? most : wanted;
  const confirm = () => {
    if (!krw) return;
    withdraw.mutate(
      { orderId: topUp.order_id, krw },
      {
        onSuccess({ withdrawing_krw }) {
          toast.done(withdrawing_krw > 0 ? w.withdrawing : w.withdrawn(format.won(krw)));
          onClose();
        },
      },
    );
  };
  const gone = topUp.cancelled_krw + topUp.withdrawing_krw;
  const taken = krw === null ? null : creditGone(topUp, gone + krw) - creditGone(topUp, gone);
  return (
    <ConfirmDialog
      open
      title={w.withdrawTitle}
      onOpenChange={onClose}
      action={krw ? w.withdrawAmount(format.won(krw)) : w.withdraw}
      dismiss={w.keep}
      refused={krw ? null : w.nothingToWithdraw}
      pending={withdraw.isPending}
      error={withdraw.error}
      loses={taken ? [w.losesCredit(format.microUsd(taken))] : []}
      onConfirm={confirm}
      fields={detail.data ? <Amount detail={detail.data} krw={krw} onChange={setWanted} /> : null}
    >
      {detail.error ? (
        <FailureNote error={detail.error} onRetry={() => void detail.refetch()} />
      ) : detail.data ? (
        w.withdrawText
      ) : (
        <Skeleton lines={4} />
      )}
    </ConfirmDialog>
  );
}

function Amount({
  detail,
  krw,
  onChange,
}: {
  detail: TopUpDetail;
  krw: number | null;
  onChange(krw: number | null): void;
}) {
  const w = useWords(words);
  const format = useFormat();
  const most = detail.withdrawable_krw;
  const left = detail.amount_krw - detail.cancelled_krw - detail.withdrawing_krw;
  return (
    <>
      <Facts
        facts={[
          { label: w.number, value: <code>{detail.order_id}</code> },
          { label: w.left, value: <Money won={left} /> },
          detail.withdrawable_until !== null && {
            label: w.until,
            value: format.dateTime(detail.withdrawable_until),
          },
        ]}
      />
      {most > 0 ? (
        <NumberField
          name="krw"
          label={w.amountWon}
          value={krw}
          onChange={onChange}
          min={1}
          max={most}
          step={1_000}
          note={w.atMost(format.won(most))}
        />
      ) : null}
      {most < left ? <Note>{w.spent}</Note> : null}
    </>
  );
}
