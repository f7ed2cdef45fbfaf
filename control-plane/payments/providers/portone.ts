// PortOne V2: https://developers.portone.io/api/rest-v2
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { webhookProblem } from '../../access/domain/standard-webhook.js';
import type { PayMethod } from '../domain/payment.js';
import { createPortoneHttp, type PortoneFault, type PortoneReply } from './portone-http.js';
import { failureCode, readPortonePayment } from './portone-payment.js';
import { type PaymentProvider, ProviderUncertain, type WebhookAnswer } from './provider.js';

export interface PortoneOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiSecret: string;
  readonly storeId: string;
  readonly channelKey: string;
  /** The channel charges only after our confirmation ("manual confirm"). */
  readonly manualConfirm: boolean;
  /** One, or two during rotation. */
  readonly webhookKeys: readonly Buffer[];
  readonly testAllowed: boolean;
  readonly timeoutMs: number;
  /** For the age of webhooks. */
  readonly clock: Clock;
}

const SCRIPT = 'https://cdn.portone.io/v2/browser-sdk.js';
const LONGEST_ORDER_NAME = 100;

const payMethod: Readonly<Record<PayMethod, string>> = {
  card: 'CARD',
  easy_pay: 'EASY_PAY',
  transfer: 'TRANSFER',
  mobile: 'MOBILE',
};

const webhook = z.looseObject({
  type: z.string(),
  data: z.looseObject({ paymentId: z.string().optional(), storeId: z.string().optional() }),
});

export function createPortone(options: PortoneOptions): PaymentProvider {
  const { storeId, manualConfirm, testAllowed } = options;
  const http = createPortoneHttp(options);

  return {
    name: 'portone',
    movesMoney: true,
    remote: true,
    storeId,
    testAllowed,

    async start({ orderNo, orderName, amountWon, method, returnUrl }) {
      // From now on PortOne itself refuses a browser that asks for another amount.
      const reply = await http.request('POST', ['payments', orderNo, 'pre-register'], {
        body: { storeId, totalAmount: amountWon, taxFreeAmount: 0, currency: 'KRW' },
      });
      const paid = reply.error?.type === 'ALREADY_PAID';
      if (reply.error && !paid) throw new ProviderUncertain(`pre-register: ${told(reply)}`);
      const request = {
        storeId,
        channelKey: options.channelKey,
        paymentId: orderNo,
        orderName: orderName.slice(0, LONGEST_ORDER_NAME),
        totalAmount: amountWon,
        currency: 'KRW',
        payMethod: payMethod[method],
        redirectUrl: returnUrl,
      };
      return { paid, checkout: { script: SCRIPT, manualConfirm, request } };
    },

    async confirm({ orderNo, amountWon }, { paymentToken, txId }) {
      // Without manual confirm the browser step is the whole payment.
      if (!manualConfirm) return { answer: 'fetch' };
      if (paymentToken === null) return { answer: 'nothing' };
      const reply = await http.request('POST', ['payments', orderNo, 'confirm'], {
        body: {
          storeId,
          paymentToken,
          totalAmount: amountWon,
          taxFreeAmount: 0,
          currency: 'KRW',
          ...(txId === null ? {} : { txId }),
        },
        idempotencyKey: `confirm-${digest(orderNo, paymentToken)}`,
      });
      if (!reply.error || reply.error.type === 'ALREADY_PAID') return { answer: 'fetch' };
      if (mayHaveHappened(reply)) throw new ProviderUncertain(`confirm: ${told(reply)}`);
      if (reply.error.type === 'INFORMATION_MISMATCH') return { answer: 'mismatch' };
      return { answer: 'declined', code: codeOf(reply.error) };
    },

    async lookup(orderNo) {
      const reply = await http.request('GET', ['payments', orderNo], { query: { storeId } });
      if (!reply.error) return readPortonePayment(reply.body);
      if (reply.status === 404 && reply.error.type === 'PAYMENT_NOT_FOUND') return none(orderNo, storeId);
      throw new ProviderUncertain(`look: ${told(reply)}`);
    },

    async cancel({ orderNo, amountWon, reason, remaining, idempotencyKey }) {
      const reply = await http.request('POST', ['payments', orderNo, 'cancel'], {
        body: {
          storeId,
          reason,
          requester: 'ADMIN',
          currentCancellableAmount: remaining,
          ...(amountWon === null ? {} : { amount: amountWon }),
        },
        idempotencyKey,
      });
      if (!reply.error) return { answer: 'fetch' };
      if (mayHaveHappened(reply) || reply.status === 401 || reply.status === 403 || reply.status === 429) {
        throw new ProviderUncertain(`cancel: ${told(reply)}`);
      }
      return { answer: 'refused', code: codeOf(reply.error) };
    },

    readWebhook(body, headers): WebhookAnswer {
      const problem = webhookProblem(options.webhookKeys, headers, body, options.clock.now());
      if (problem !== null) return { kind: 'refused', header: problem };
      const read = webhook.safeParse(jsonOf(body));
      // Validly signed, of a kind that was added after this version.
      if (!read.success) return { kind: 'ignored' };
      const { type, data } = read.data;
      if (!type.startsWith('Transaction.') || data.paymentId === undefined) return { kind: 'ignored' };
      if (data.storeId !== undefined && data.storeId !== storeId) return { kind: 'ignored' };
      return { kind: 'payment', orderNo: data.paymentId, disputed: type === 'Transaction.DisputeCreated' };
    },
  };
}

/** Answers after which the request may still be in progress, or done. */
const mayHaveHappened = ({ status, error }: PortoneReply) =>
  error?.type === 'IDEMPOTENCY_OUTSTANDING_REQUEST' || (status >= 500 && error?.type !== 'PG_PROVIDER');

const told = ({ status, error }: PortoneReply) => `PortOne answered ${status} ${error?.type ?? ''}`;

const codeOf = ({ type, pgCode }: PortoneFault) =>
  type === 'PG_PROVIDER' ? failureCode(pgCode) : failureCode(type.toLowerCase());

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 40);

const none = (orderNo: string, storeId: string) => ({
  ...({ state: 'none', id: orderNo, storeId, total: 0, currency: 'KRW', live: true, txId: null } as const),
  method: null,
  paidAt: null,
  receiptUrl: null,
  failureCode: null,
  cancellations: [],
});

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Validly signed, but not of this version; the schema below says so.
    return null;
  }
}
