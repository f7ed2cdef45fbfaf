import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { AgentMac, MultiExtensionQuote } from '../../../../client/types.js';
import { extensionQuoteQuery } from '../../data/macs.js';
import { useExtend } from '../../data/orders.js';
import { useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { classNames } from '../../design/class-names.js';
import { Dialog } from '../../design/dialog.js';
import { FailureNote } from '../../design/failure-note.js';
import { useErrorMessages } from '../../design/failure-text.js';
import { Form, FormFailure } from '../../design/form.js';
import { NumberField } from '../../design/number-field.js';
import { Note, Stack } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { MacName } from '../../macs/mac-link.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import styles from './mac.module.css';
import { words } from './words.js';

interface Extendable extends Pick<AgentMac, 'rental_id' | 'name' | 'max_extend_days' | 'quote_hint'> {}

/** More days for one or several Macs: the quote, then the order, which is paid on the next page. */
export function ExtendDialog({
  macs,
  open,
  onOpenChange,
}: {
  macs: readonly Extendable[];
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  if (!open || macs.length === 0) return null;
  return <ExtendForm macs={macs} onClose={() => onOpenChange(false)} />;
}

function ExtendForm({ macs, onClose }: { macs: readonly Extendable[]; onClose(): void }) {
  const id = useId();
  const w = useWords(words);
  const common = useWords(shared);
  const org = useOrganization();
  const [days, setDays] = useState(1);
  const most = Math.max(1, Math.min(...macs.map(({ max_extend_days }) => max_extend_days)));
  const rentalIds = macs.map(({ rental_id }) => rental_id);
  const hours = days * 24;
  const quote = useQuery(extensionQuoteQuery(org, rentalIds, hours));
  const extend = useExtend(org);
  const { data } = quote;
  const isWhole = data?.items.every(({ ok }) => ok) ?? false;
  const costs = macs.some(({ quote_hint }) => quote_hint.amount_won > 0);
  return (
    <Dialog
      open
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={w.extendTitle(macs.length === 1 ? (macs[0]?.name ?? '') : common.macs(macs.length))}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="primary"
            pending={extend.isPending || extend.isSuccess}
            refused={data && !isWhole ? w.notExtended : null}
            type="submit"
            form={id}
          >
            {costs ? w.extendNow : w.extendFree}
          </Button>
        </>
      }
    >
      <Form id={id} error={extend.error} onSubmit={() => extend.mutate({ rentalIds, hours })}>
        <Stack>
          <NumberField
            name="hours"
            label={w.days}
            note={w.daysNote(most)}
            value={days}
            min={1}
            max={most}
            onChange={(value) => setDays(value ?? 1)}
          />
          {quote.error ? <FailureNote error={quote.error} onRetry={() => void quote.refetch()} /> : null}
          {quote.isPending ? <Skeleton lines={2} /> : null}
          {data ? <QuoteLines quote={data} isOld={quote.isPlaceholderData} /> : null}
          <FormFailure />
          <Note>{w.extendNote}</Note>
        </Stack>
      </Form>
    </Dialog>
  );
}

function QuoteLines({ quote, isOld }: { quote: MultiExtensionQuote; isOld: boolean }) {
  const w = useWords(words);
  const messageOf = useErrorMessages();
  const format = useFormat();
  const costs = quote.amount_won > 0;
  return (
    <div className={classNames(styles.quote, isOld && styles.older)} aria-live="polite" aria-busy={isOld}>
      {quote.items.map((item) => (
        <div key={item.rental_id} className={styles.item}>
          <span>
            {quote.items.length > 1 ? <MacName>{item.rental_name}</MacName> : null}{' '}
            {item.ok && item.new_ends_at
              ? `${w.newEnd}: ${format.dateTime(item.new_ends_at)}`
              : `${w.notExtended}: ${messageOf(item.reason ?? '') ?? item.message ?? item.reason ?? ''}`}
          </span>
          {costs && item.amount_won !== undefined ? <span>{format.won(item.amount_won)}</span> : null}
        </div>
      ))}
      {costs ? (
        <>
          <span className={styles.total}>
            {w.total}, {w.vatIncluded}
          </span>
          <span className={classNames(styles.total, styles.amount)}>{format.won(quote.amount_won)}</span>
        </>
      ) : null}
    </div>
  );
}
