// How many dollars, what they cost today, and on to the payment.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExchangeRate } from '../../../../client/types.js';
import { rateQuery, useCreateTopUp } from '../../data/credit.js';
import type { CurrentOrganization } from '../../data/session.js';
import { useTimeLimit } from '../../data/session.js';
import { Money } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { Form, FormFailure } from '../../design/form.js';
import { NumberField } from '../../design/number-field.js';
import { Note } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './billing.module.css';
import { priceOf, rateText, vatOf } from './price.js';
import { words } from './words.js';

const USUAL_USD = 50;
const MOST_USD = 10_000;

export function TopUpCard({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const rate = useQuery(rateQuery);
  return (
    <Card title={w.topUp}>
      {rate.error ? (
        <FailureNote error={rate.error} onRetry={() => void rate.refetch()} />
      ) : rate.data ? (
        <TopUpForm org={org} rate={rate.data} />
      ) : (
        <Skeleton lines={5} />
      )}
    </Card>
  );
}

function TopUpForm({ org, rate }: { org: CurrentOrganization; rate: ExchangeRate }) {
  const w = useWords(words);
  const rateTime = useTimeLimit('topup_s');
  const format = useFormat();
  const [usd, setUsd] = useState<number | null>(USUAL_USD);
  const create = useCreateTopUp(org);
  const price = usd === null ? null : priceOf(usd, rate.krw_per_usd);
  const submit = () => {
    if (usd === null) return;
    create.mutate(usd, {
      // The page of the payment has a content security policy of its own, so it is loaded from the service.
      onSuccess: ({ order_id }) => location.assign(`/pay/topup/${encodeURIComponent(order_id)}`),
    });
  };
  return (
    <Form className={styles.topUp} error={create.error} onSubmit={submit}>
      <div className={styles.amount}>
        <NumberField
          name="usd"
          label={w.dollars}
          value={usd}
          onChange={setUsd}
          min={1}
          max={MOST_USD}
          step={10}
          note={w.dollarsNote(format.usd(1), format.usd(MOST_USD))}
        />
      </div>
      <div className={styles.price}>
        <Facts
          facts={[
            price !== null && { label: w.price, value: <Price won={price} /> },
            price !== null && {
              label: w.supply,
              value: w.supplyAndVat(format.won(price - vatOf(price)), format.won(vatOf(price))),
            },
            {
              label: w.rate,
              value: `${w.perDollar(rateText(rate.krw_per_usd, format.won))} · ${format.date(rate.fx_day)} · ${w.sources[rate.source]}`,
            },
          ]}
        />
      </div>
      <div className={styles.note}>
        <Note>{w.rateNote(rateTime)}</Note>
      </div>
      <div className={styles.failure}>
        <FormFailure />
      </div>
      <div className={styles.action}>
        <Button
          variant="primary"
          type="submit"
          pending={create.isPending || create.isSuccess}
          refused={usd === null ? w.amountMissing : null}
        >
          {w.toPayment}
        </Button>
      </div>
    </Form>
  );
}

const Price = ({ won }: { won: number }) => (
  <strong>
    <Money won={won} />
  </strong>
);
