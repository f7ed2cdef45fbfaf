// What is ordered: how many Macs, for how long, from when, with which Xcode; what it costs, and what to do when there is
// no room.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import type { CatalogTier, Quote } from '../../../../client/types.js';
import { type QuoteWanted, quoteQuery } from '../../data/catalog.js';
import { Failure } from '../../data/failure.js';
import { newKey } from '../../data/idempotency.js';
import { usePlaceOrder } from '../../data/orders.js';
import type { RawSearch } from '../../data/search.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { RadioGroup } from '../../design/choices.js';
import { classNames } from '../../design/class-names.js';
import { FailureNote } from '../../design/failure-note.js';
import { NumberField } from '../../design/number-field.js';
import { Note, Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { NoRoom } from './no-room.js';
import styles from './rent.module.css';
import { localTime, MOST_UNITS, type RentSearch, startOf } from './search.js';
import { words } from './words.js';

const HOUR_MS = 3_600_000;
const HELD_MIN = 30;

export function OrderForm({
  tier,
  search,
  onChange,
}: {
  tier: CatalogTier;
  search: RentSearch;
  onChange(changes: RawSearch): void;
}) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const org = useOrganization();
  const mayOrder = useMay(MANAGERS);
  const now = useNow(60_000);
  const { units, days, start } = search;
  const wanted = { tier: tier.tier, hours: days * 24, units };
  const order = usePlaceOrder(org);
  // One key for one order: a second press after a lost answer does not order twice.
  const key = useRef({ of: '', key: '' });
  const startAt = startOf(start, now);
  const xcode = search.xcode !== null && tier.xcode_versions.includes(search.xcode) ? search.xcode : null;

  const place = (count: number) => {
    const body = { ...wanted, units: count, start: startAt ?? 'now', xcode };
    const of = JSON.stringify(body);
    if (key.current.of !== of) key.current = { of, key: newKey() };
    order.mutate({ ...body, key: key.current.key });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (startAt !== null) place(units);
  };
  const needsRole = common.needsRole(format.list([common.role.owner, common.role.admin]));
  const refused = mayOrder ? (tier.sales_open ? null : w.closed) : needsRole;
  const change = (changes: RawSearch) => {
    order.reset();
    onChange(changes);
  };
  const noRoom = order.error instanceof Failure && order.error.code === 'no_capacity' ? order.error : null;

  return (
    <Card title={`${w.orderTitle}: ${tier.name}`}>
      <form method="post" noValidate onSubmit={submit}>
        <Stack>
          <div className={styles.pair}>
            <NumberField
              label={w.units}
              value={units}
              min={1}
              max={MOST_UNITS}
              onChange={(value) => change({ units: String(value ?? 1) })}
            />
            <NumberField
              label={w.days}
              value={days}
              min={1}
              max={tier.max_days}
              onChange={(value) => change({ days: String(value ?? 1) })}
            />
          </div>
          <Note>{w.daysNote(tier.max_days)}</Note>
          <RadioGroup
            label={w.start}
            value={start === 'now' ? 'now' : 'later'}
            options={[
              { value: 'now', label: w.startNow },
              { value: 'later', label: w.startLater },
            ]}
            onChange={(value) =>
              change({ start: value === 'now' ? undefined : localTime(Date.now() + 24 * HOUR_MS) })
            }
          />
          {start === 'now' ? null : (
            <TextField
              label={w.startAt}
              type="datetime-local"
              value={start}
              min={localTime(now)}
              note={w.startNote}
              problem={startAt === null ? w.startPast : undefined}
              onChange={(value) => change({ start: value })}
            />
          )}
          {tier.xcode_versions.length > 0 ? (
            <Select
              label={w.setup}
              value={xcode ?? ''}
              options={[
                {
                  value: '',
                  label: tier.default_xcode === null ? w.setupNone : w.setupDefault(tier.default_xcode),
                },
                ...tier.xcode_versions
                  .filter((version) => version !== tier.default_xcode)
                  .map((version) => ({ value: version, label: version })),
              ]}
              onChange={(value) => change({ xcode: value === '' ? undefined : value })}
            />
          ) : null}
          <QuoteLines wanted={wanted} refused={noRoom !== null} />
          {noRoom ? <NoRoom failure={noRoom} wanted={wanted} onFewer={place} /> : null}
          {order.error && !noRoom ? <FailureNote error={order.error} /> : null}
          <Button
            variant="primary"
            wide
            type="submit"
            pending={order.isPending || order.isSuccess}
            refused={refused}
          >
            {tier.price_won > 0 ? w.order : w.orderFree}
          </Button>
          <Note>{tier.price_won > 0 ? w.orderNote(HELD_MIN) : w.orderNoteFree}</Note>
        </Stack>
      </form>
    </Card>
  );
}

function QuoteLines({ wanted, refused }: { wanted: QuoteWanted; refused: boolean }) {
  const quote = useQuery(quoteQuery(useOrganization(), wanted));
  if (quote.error) return <FailureNote error={quote.error} onRetry={() => void quote.refetch()} />;
  const { data } = quote;
  if (!data) return null;
  return (
    <>
      {data.unit_price_won > 0 ? <Price quote={data} isOld={quote.isPlaceholderData} /> : null}
      {data.sales_open && data.available_now < data.units && !quote.isPlaceholderData && !refused ? (
        <NoRoom failure={null} wanted={wanted} free={data.available_now} />
      ) : null}
    </>
  );
}

function Price({ quote, isOld }: { quote: Quote; isOld: boolean }) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const days = quote.hours / 24;
  return (
    <div className={classNames(styles.quote, isOld && styles.older)} aria-live="polite" aria-busy={isOld}>
      <span className={styles.line}>
        {w.line(days, common.macs(quote.units), format.won(quote.unit_price_won))}
      </span>
      <span className={classNames(styles.line, styles.amount)}>{format.won(quote.amount_won)}</span>
      <span className={styles.total}>{w.total}</span>
      <span className={classNames(styles.total, styles.amount)}>{format.won(quote.amount_won)}</span>
      <span className={styles.vat}>{w.vatIncluded}</span>
    </div>
  );
}
