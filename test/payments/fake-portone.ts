// PortOne's side, over real HTTP: its API as the service calls it, and what payers, their banks and the merchant's
// console do there. Strict about what a client must get right; misbehaves on command.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { Clock } from '../../shared/clock.js';
import { listening } from '../harness/listening.js';

export type Json = Record<string, unknown>;

export interface FakeCancellation {
  id: string;
  status: 'REQUESTED' | 'SUCCEEDED' | 'FAILED';
  totalAmount: number;
  reason: string;
  trigger: 'API' | 'CONSOLE' | 'CHARGEBACK';
}

export interface FakePayment {
  id: string;
  status: string;
  storeId: string;
  channel: 'LIVE' | 'TEST';
  total: number;
  /** Less than total when somebody else pays a discount. */
  paid: number;
  currency: string;
  transactionId: string;
  paidAt: string | null;
  failure: string | null;
  cancellations: FakeCancellation[];
}

export type Operation = 'pre-register' | 'confirm' | 'lookup' | 'cancel';

/**
 * cut_before: the connection dies before anything is done; cut_after: when it has been done. hang, hang_after: no
 * answer comes. answer: something else is answered and nothing done. alter: what would be answered is changed.
 */
export type Misbehavior =
  | { kind: 'cut_before' | 'cut_after' | 'hang' | 'hang_after' }
  | { kind: 'answer'; status: number; body: string | Json }
  | { kind: 'alter'; alter(body: Json): Json | string }
  | { kind: 'meanwhile'; before?: () => void | Promise<void>; after?: () => void | Promise<void> };

export interface SeenRequest {
  operation: Operation;
  path: string;
  headers: IncomingMessage['headers'];
  body: Json;
}

interface Token {
  paymentId: string;
  total: number;
  declined: string | null;
}

interface Reply {
  status: number;
  body: Json;
}

export type FakePortone = Awaited<ReturnType<typeof startFakePortone>>;

const STORE = 'store-0f2a';
const SECRET = 'portone-api-secret-of-tests';

/** @param clock of the service: webhooks are stamped with its time */
export async function startFakePortone(t: Test, clock: Pick<Clock, 'now'>) {
  const payments = new Map<string, FakePayment>();
  const registered = new Map<string, number>();
  const tokens = new Map<string, Token>();
  const replies = new Map<string, { fingerprint: string; reply: Reply | null }>();
  const planned: { on: Operation; how: Misbehavior }[] = [];
  const requests: SeenRequest[] = [];
  const hanging = new Set<ServerResponse>();
  let cancellationMode: 'SUCCEEDED' | 'REQUESTED' = 'SUCCEEDED';
  let messages = 0;

  const iso = () => new Date(clock.now()).toISOString();
  const fresh = (id: string, total: number): FakePayment => ({
    id,
    status: 'READY',
    storeId: STORE,
    channel: 'LIVE',
    total,
    paid: total,
    currency: 'KRW',
    transactionId: randomUUID(),
    paidAt: null,
    failure: null,
    cancellations: [],
  });
  const get = (id: string): FakePayment => {
    const payment = payments.get(id);
    if (!payment) throw new Error(`no payment ${id} at the fake`);
    return payment;
  };
  const sum = (payment: FakePayment, ...statuses: string[]) =>
    payment.cancellations
      .filter(({ status }) => statuses.includes(status))
      .reduce((total, { totalAmount }) => total + totalAmount, 0);
  const restate = (payment: FakePayment) => {
    const gone = sum(payment, 'SUCCEEDED');
    if (payment.paidAt === null) return;
    payment.status = gone === 0 ? 'PAID' : gone === payment.total ? 'CANCELLED' : 'PARTIAL_CANCELLED';
  };
  const addCancellation = (
    payment: FakePayment,
    totalAmount: number,
    reason: string,
    trigger: FakeCancellation['trigger'],
    status: FakeCancellation['status'],
  ) => {
    const cancellation = { id: randomUUID(), status, totalAmount, reason, trigger };
    payment.cancellations.push(cancellation);
    restate(payment);
    return cancellation;
  };
  const charge = (id: string, given: Partial<FakePayment> = {}) => {
    const payment = payments.get(id) ?? fresh(id, registered.get(id) ?? 0);
    if (payment.paidAt !== null) throw new Error(`${id} has been paid before`);
    const total = given.total ?? payment.total;
    Object.assign(payment, { paid: total, failure: null, ...given, total, status: 'PAID', paidAt: iso() });
    payments.set(id, payment);
    return payment;
  };

  function perform(operation: Operation, id: string, body: Json): Reply {
    const payment = payments.get(id);
    const paid = payment !== undefined && payment.paidAt !== null;
    switch (operation) {
      case 'pre-register':
        if (paid) return error(409, 'ALREADY_PAID');
        if (body.currency !== 'KRW' || typeof body.totalAmount !== 'number') return error(400, 'INVALID_REQUEST');
        registered.set(id, body.totalAmount);
        return { status: 200, body: {} };
      case 'lookup':
        return payment ? { status: 200, body: paymentJson(payment) } : error(404, 'PAYMENT_NOT_FOUND');
      case 'confirm': {
        if (paid) return error(409, 'ALREADY_PAID');
        const token = tokens.get(String(body.paymentToken));
        if (!token || token.paymentId !== id) return error(400, 'INVALID_PAYMENT_TOKEN');
        if (token.total !== body.totalAmount) return error(400, 'INFORMATION_MISMATCH');
        if (token.declined !== null) {
          const failed = payment ?? fresh(id, token.total);
          payments.set(id, Object.assign(failed, { status: 'FAILED', failure: token.declined }));
          return error(502, 'PG_PROVIDER', { pgCode: token.declined, pgMessage: 'no' });
        }
        const made = charge(id, { total: token.total });
        return { status: 200, body: { pgTxId: made.transactionId, paidAt: made.paidAt } };
      }
      case 'cancel': {
        if (!payment) return error(404, 'PAYMENT_NOT_FOUND');
        if (!paid) return error(409, 'PAYMENT_NOT_PAID');
        const left = payment.total - sum(payment, 'SUCCEEDED', 'REQUESTED');
        if (left === 0) return error(409, 'PAYMENT_ALREADY_CANCELLED');
        if (body.currentCancellableAmount !== undefined && body.currentCancellableAmount !== left) {
          return error(409, 'CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN');
        }
        const amount = typeof body.amount === 'number' ? body.amount : left;
        if (amount > left) return error(409, 'CANCEL_AMOUNT_EXCEEDS_CANCELLABLE_AMOUNT');
        const made = addCancellation(payment, amount, String(body.reason), 'API', cancellationMode);
        return { status: 200, body: { cancellation: cancellationJson(made) } };
      }
    }
  }

  const cancellationJson = (c: FakeCancellation): Json => ({
    ...c,
    taxFreeAmount: 0,
    vatAmount: 0,
    requestedAt: iso(),
    ...(c.status === 'SUCCEEDED' ? { cancelledAt: iso() } : {}),
  });

  const paymentJson = (payment: FakePayment): Json => ({
    status: payment.status,
    id: payment.id,
    transactionId: payment.transactionId,
    merchantId: 'merchant-1',
    storeId: payment.storeId,
    method: { type: 'PaymentMethodCard', card: { number: '4111********1111' } },
    channel: { type: payment.channel, pgProvider: 'TOSSPAYMENTS', pgMerchantId: 'mid' },
    version: 'V2',
    orderName: 'order',
    amount: {
      total: payment.total,
      taxFree: 0,
      paid: payment.paid,
      cancelled: sum(payment, 'SUCCEEDED'),
      cancelledTaxFree: 0,
    },
    currency: payment.currency,
    customer: {},
    ...(payment.paidAt === null
      ? {}
      : { paidAt: payment.paidAt, receiptUrl: `https://pg.example/receipts/${payment.id}`, disputes: [] }),
    ...(payment.failure === null ? {} : { failure: { reason: 'refused', pgCode: payment.failure } }),
    ...(payment.cancellations.length === 0 ? {} : { cancellations: payment.cancellations.map(cancellationJson) }),
  });

  function operationOf(request: IncomingMessage): { operation: Operation; id: string } | null {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://portone.test');
    const [, root, id, action, more] = pathname.split('/');
    if (root !== 'payments' || !id || more !== undefined) return null;
    const operation = request.method === 'GET' && action === undefined ? 'lookup' : action;
    if (operation === 'lookup') {
      return searchParams.get('storeId') === STORE ? { operation, id: decodeURIComponent(id) } : null;
    }
    if (operation !== 'pre-register' && operation !== 'confirm' && operation !== 'cancel') return null;
    return request.method === 'POST' ? { operation, id: decodeURIComponent(id) } : null;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const target = operationOf(request);
    if (!target) return answer(response, error(400, 'INVALID_REQUEST'));
    if (request.headers.authorization !== `PortOne ${SECRET}`) return answer(response, error(401, 'UNAUTHORIZED'));
    const { operation, id } = target;
    const body: Json = bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : {};
    requests.push({ operation, path: request.url ?? '', headers: request.headers, body });
    const index = planned.findIndex(({ on }) => on === operation);
    const how = index < 0 ? null : (planned.splice(index, 1)[0]?.how ?? null);
    if (how?.kind === 'cut_before') return void request.socket.destroy();
    if (how?.kind === 'hang') return void hanging.add(response);
    if (how?.kind === 'answer') return answer(response, how);
    if (how?.kind === 'meanwhile') await how.before?.();
    const reply = once(request, operation, id, body);
    if (how?.kind === 'meanwhile') await how.after?.();
    if (how?.kind === 'cut_after') return void request.socket.destroy();
    if (how?.kind === 'hang_after') return void hanging.add(response);
    answer(response, how?.kind === 'alter' ? { ...reply, body: how.alter(reply.body) } : reply);
  }

  /** A finished repeat of a key gets the first answer, whatever the body now says. */
  function once(request: IncomingMessage, operation: Operation, id: string, body: Json): Reply {
    const key = request.headers['idempotency-key'];
    if (key === undefined || request.method === 'GET') return perform(operation, id, body);
    if (typeof key !== 'string' || !/^"[\x20\x21\x23-\x5b\x5d-\x7e]{16,256}"$/.test(key)) {
      return error(400, 'INVALID_REQUEST');
    }
    const known = replies.get(key);
    if (known?.reply) return known.reply;
    const reply = perform(operation, id, body);
    replies.set(key, { fingerprint: request.url ?? '', reply });
    return reply;
  }

  const working = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = handle(request, response).catch((thrown: unknown) => {
      t.fail('the fake PortOne broke', { thrown: String(thrown) });
      response.destroy();
    });
    working.add(work);
    work.finally(() => working.delete(work));
  });
  const port = await listening(t, server);
  t.teardown(() => {
    for (const response of hanging) response.destroy();
  });

  return {
    url: `http://127.0.0.1:${port}`,
    apiSecret: SECRET,
    storeId: STORE,
    channelKey: 'channel-key-1',
    /** Base64, after the usual prefix; the second is of a rotation. */
    webhookSecrets: ['whsec_c2VjcmV0LW9mLXRoZS1mYWtlLTE=', 'c2VjcmV0LW9mLXRoZS1mYWtlLTI='],
    payments,
    requests,
    get,
    /** A payer pays in the browser. PortOne refuses another amount than was registered, unless `tampered`. */
    charge(id: string, given: Partial<FakePayment> = {}, tampered = false) {
      const amount = registered.get(id);
      if (!tampered && given.total !== undefined && amount !== undefined && given.total !== amount) {
        throw new Error('AmountNotEqualToPredefined');
      }
      return charge(id, given);
    },
    /** A payer's attempt that comes to nothing. */
    decline(id: string, code: string) {
      const payment = payments.get(id) ?? fresh(id, registered.get(id) ?? 0);
      payments.set(id, Object.assign(payment, { status: 'FAILED', failure: code }));
    },
    set(id: string, given: Partial<FakePayment>) {
      payments.set(id, Object.assign(payments.get(id) ?? fresh(id, registered.get(id) ?? 0), given));
    },
    /** A payer finishes the pay window of a channel with manual confirm; nothing is charged by that. */
    token(paymentId: string, given: { total?: number; declined?: string } = {}): string {
      const token = `token-${randomUUID()}`;
      const total = given.total ?? registered.get(paymentId) ?? 0;
      tokens.set(token, { paymentId, total, declined: given.declined ?? null });
      return token;
    },
    /** Somebody else takes money back: the merchant in PortOne's console, or the payer's bank. */
    takeBack(id: string, trigger: 'CONSOLE' | 'CHARGEBACK', amount?: number) {
      const payment = get(id);
      // A bank does not wait for refunds that are in progress; the merchant's console reserves them.
      const taken = trigger === 'CHARGEBACK' ? ['SUCCEEDED'] : ['SUCCEEDED', 'REQUESTED'];
      const left = payment.total - sum(payment, ...taken);
      if (left <= 0) return null;
      const status = trigger === 'CHARGEBACK' ? 'SUCCEEDED' : cancellationMode;
      return addCancellation(payment, Math.min(amount ?? left, left), 'taken back', trigger, status);
    },
    /** From now on a cancellation is decided later, by `decideCancellations`. */
    cancelLater: (later = true) => {
      cancellationMode = later ? 'REQUESTED' : 'SUCCEEDED';
    },
    decideCancellations(id: string, status: 'SUCCEEDED' | 'FAILED') {
      const payment = get(id);
      for (const cancellation of payment.cancellations) {
        if (cancellation.status !== 'REQUESTED') continue;
        // Never more than was charged: a bank may have taken it back meanwhile.
        const left = payment.total - sum(payment, 'SUCCEEDED');
        cancellation.status = cancellation.totalAmount > left ? 'FAILED' : status;
      }
      restate(payment);
    },
    /** Resolves when no request is being worked on. */
    idle: async () => void (await Promise.all(working)),
    /** As after three hours. */
    forgetKeys: () => replies.clear(),
    /** The next request of this kind fails in this way. */
    next(on: Operation, ...how: Misbehavior[]) {
      for (const one of how) planned.push({ on, how: one });
    },
    /** Ends all faults. */
    behave: () => void planned.splice(0),
    count: (operation: Operation) => requests.filter((seen) => seen.operation === operation).length,
    /** Won that the merchant has at PortOne. */
    held(ids?: readonly string[]): number {
      return [...payments.values()]
        .filter(({ id, paidAt, currency, channel }) => {
          if (ids && !ids.includes(id)) return false;
          return paidAt !== null && currency === 'KRW' && channel === 'LIVE';
        })
        .reduce((total, payment) => total + payment.total - sum(payment, 'SUCCEEDED'), 0);
    },
    /** A webhook as PortOne sends it. */
    webhook(type: string, paymentId: string | null, given: Partial<WebhookOptions> = {}) {
      const body = JSON.stringify({
        type,
        timestamp: iso(),
        data: {
          storeId: given.storeId ?? STORE,
          ...(paymentId === null
            ? {}
            : { paymentId, transactionId: payments.get(paymentId)?.transactionId ?? randomUUID() }),
        },
      });
      const id = given.id ?? `msg_${++messages}`;
      const timestamp = String(Math.floor(clock.now() / 1000) + (given.skewS ?? 0));
      const secret = given.secret ?? 'c2VjcmV0LW9mLXRoZS1mYWtlLTE=';
      return { body, headers: signedHeaders(secret, id, timestamp, body) };
    },
  };
}

export interface WebhookOptions {
  id: string;
  skewS: number;
  /** Base64. */
  secret: string;
  storeId: string;
}

export function signedHeaders(secret: string, id: string, timestamp: string, body: string) {
  const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

const error = (status: number, type: string, more: Json = {}): Reply => ({
  status,
  body: { type, message: `${type} (fake)`, ...more },
});

function answer(response: ServerResponse, { status, body }: { status: number; body: Json | string }): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
