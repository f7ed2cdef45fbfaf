// The person agrees, chooses how to pay, and pays.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { PayInput, PaymentProgress, PayState, ProviderAct } from '../../data/payment.js';
import { Button } from '../../design/button.js';
import { RadioGroup } from '../../design/choices.js';
import { classNames } from '../../design/class-names.js';
import { useFailureText } from '../../design/failure-text.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { paymentFailure } from '../../words/payment-failure.js';
import { useWords } from '../../words/use-words.js';
import { openWindow, resultOfReturn, type WindowResult } from './checkout.js';
import { CreditButton, type CreditOffered } from './credit-button.js';
import styles from './pay.module.css';
import { words } from './words.js';

const consentNames = ['terms', 'withdrawal'] as const;
type ConsentName = (typeof consentNames)[number];
const methods = ['card', 'easy_pay', 'transfer', 'mobile'] as const;
const outcomes = ['paid', 'declined', 'abandoned'] as const;

export interface PaymentFormProps {
  readonly amountWon: number;
  readonly pay: PayState;
  /** What the payer should know about the provider. */
  readonly lead: string;
  /** Sends a step to the service; throws a Failure. */
  send(act: ProviderAct): Promise<PaymentProgress>;
  /** Payment with the credit of an organization; absent: not possible. */
  readonly credit?: CreditOffered;
}

export function PaymentForm({ amountWon, pay, lead, send, credit }: PaymentFormProps) {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  const [agreed, setAgreed] = useState<Readonly<Record<ConsentName, boolean>>>({
    terms: false,
    withdrawal: false,
  });
  const [missing, setMissing] = useState(false);
  const [method, setMethod] = useState<(typeof methods)[number]>('card');
  const [outcome, setOutcome] = useState<(typeof outcomes)[number]>('paid');
  const form = useRef<HTMLFormElement>(null);
  const { provider, consent, payment } = pay;
  const text = language === 'ko' && consent.ko ? consent.ko : consent;
  const run = usePaying(send);

  /** Returns false, and says so, unless both points are confirmed. */
  const hasAgreed = () => {
    const first = consentNames.find((name) => !agreed[name]);
    setMissing(first !== undefined);
    if (first === undefined) return true;
    form.current?.querySelector<HTMLInputElement>(`input[name=${first}]`)?.focus();
    run.say(w.confirmFirst);
    return false;
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!hasAgreed()) return;
    void run.pay({
      ...(provider === 'portone' ? { method } : {}),
      ...(provider === 'sandbox' ? { outcome } : {}),
    });
  };

  const declined = payment?.failure_code ? paymentFailure(payment.failure_code, language) : null;
  const problem = run.problem ?? (run.pending ? null : declined);
  const amount = format.won(amountWon);
  const free = amountWon === 0;
  const label =
    provider === 'approval' ? (free ? w.approve : w.approveAmount(amount)) : free ? w.pay : w.payAmount(amount);
  return (
    <form ref={form} className={styles.form} method="post" noValidate onSubmit={submit}>
      <p className={styles.lead}>{lead}</p>
      <fieldset className={styles.group}>
        <legend>{w.confirm}</legend>
        {consentNames.map((name) => (
          <label key={name} className={classNames(styles.choice, missing && !agreed[name] && styles.missing)}>
            <input
              type="checkbox"
              name={name}
              checked={agreed[name]}
              aria-invalid={(missing && !agreed[name]) || undefined}
              onChange={(event) => setAgreed({ ...agreed, [name]: event.target.checked })}
            />
            <span>{text[name]}</span>
          </label>
        ))}
        <p className={styles.version}>{w.version(consent.version)}</p>
      </fieldset>
      {provider === 'portone' ? (
        <RadioGroup<(typeof methods)[number]>
          label={w.payBy}
          options={methods.map((each) => ({ value: each, label: w.methods[each] }))}
          value={method}
          onChange={setMethod}
        />
      ) : null}
      {provider === 'sandbox' ? (
        <RadioGroup<(typeof outcomes)[number]>
          label={w.outcomeLegend}
          options={outcomes.map((each) => ({ value: each, label: w.outcomes[each] }))}
          value={outcome}
          onChange={setOutcome}
        />
      ) : null}
      <div role="alert" className={problem === null ? undefined : styles.problem}>
        {problem}
      </div>
      <Button variant="primary" wide type="submit" pending={run.pending}>
        {label}
      </Button>
      {credit ? (
        <CreditButton
          {...credit}
          pending={run.pending}
          onPay={() => {
            if (hasAgreed()) void run.payBy(() => credit.pay(credit.offer.price_micro_usd));
          }}
        />
      ) : null}
    </form>
  );
}

/** The steps of a payment, and what went wrong in words. */
function usePaying(step: PaymentFormProps['send']) {
  const w = useWords(words);
  const textOf = useFailureText();
  const [problem, say] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  /** Takes a step. Returns null after a failure, which is shown. */
  const attempt = async (take: () => Promise<PaymentProgress>) => {
    try {
      return await take();
    } catch (error) {
      const { message, advice } = textOf(error);
      say([message, advice].filter(Boolean).join(' '));
      return null;
    }
  };

  const send = (act: ProviderAct) => attempt(() => step(act));

  const alone = async (work: () => Promise<void>) => {
    setPending(true);
    try {
      await work();
    } finally {
      setPending(false);
    }
  };

  /** Called when the provider's window is closed. The service verifies the payment even if it reports a failure. */
  const confirm = async ({ code, message, txId, paymentToken }: WindowResult) => {
    const failed = code === undefined ? null : (message ?? code);
    let open = true;
    if (paymentToken !== undefined || txId !== undefined) {
      const answer = await send({
        path: 'confirm',
        proof: {
          ...(paymentToken === undefined ? {} : { payment_token: paymentToken }),
          ...(txId === undefined ? {} : { tx_id: txId }),
        },
      });
      if (answer === null) return;
      open = answer.open;
    }
    if (failed !== null && open) say(w.notFinished(failed));
  };

  const pay = (input: PayInput) =>
    alone(async () => {
      say(null);
      const answer = await send({ path: 'pay', input });
      if (!answer?.open) return;
      const checkout = answer.payment?.checkout;
      if (checkout) await confirm(await openWindow(checkout, w.noScript));
      else if (input.outcome === 'abandoned') say(w.abandoned);
    });

  /** Pays without a provider, in one step. */
  const payBy = (take: () => Promise<PaymentProgress>) =>
    alone(async () => {
      say(null);
      await attempt(take);
    });

  // On a phone the provider leads the whole page away, and back with the result in the address.
  const navigate = useNavigate();
  const returned = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the address that the page was opened with
  useEffect(() => {
    const result = resultOfReturn(new URLSearchParams(location.search));
    if (!result || returned.current) return;
    returned.current = true;
    void navigate({ to: '.', search: {} as never, replace: true });
    void alone(() => confirm(result));
  }, []);

  return { pay, payBy, say, problem, pending };
}
