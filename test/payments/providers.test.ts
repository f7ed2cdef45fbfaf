// Every provider by the same measure, and what is particular to PortOne: its protocol, and its ways of failing.
import { createHmac } from 'node:crypto';
import type { Test } from 'tap';
import t from 'tap';
import { webhookKey, webhookProblem } from '../../control-plane/access/domain/standard-webhook.js';
import { createLocalPayments } from '../../control-plane/payments/app/local-payments.js';
import { createPortone, type PortoneOptions } from '../../control-plane/payments/providers/portone.js';
import { ProviderUncertain } from '../../control-plane/payments/providers/provider.js';
import { createApproval, createSandbox } from '../../control-plane/payments/providers/providers.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { openMigrated } from '../harness/migrated-database.js';
import { type FakePortone, type Json, signedHeaders, startFakePortone } from './fake-portone.js';
import { chargeOf, providerConformance } from './provider-conformance.js';

const clock = createAdvancingClock({ start: Date.parse('2026-03-01T09:00:00.250Z') });

const keysOf = (secrets: readonly string[]) => secrets.flatMap((secret) => webhookKey(secret) ?? []);

function portoneAt(fake: FakePortone, given: Partial<PortoneOptions> = {}) {
  const { url, apiSecret, storeId, channelKey } = fake;
  return createPortone({
    url,
    apiSecret,
    storeId,
    channelKey,
    clock,
    manualConfirm: true,
    testAllowed: false,
    webhookKeys: keysOf(fake.webhookSecrets),
    timeoutMs: 60_000,
    ...given,
  });
}

async function freshBook(t: Test) {
  const store = await openMigrated();
  t.teardown(() => store.close());
  return store;
}

const browser = (outcome: 'paid' | 'declined' | 'abandoned' = 'paid') => ({
  paymentToken: null,
  txId: null,
  outcome,
});

for (const create of [createApproval, createSandbox]) {
  t.test(create.name, (t) =>
    providerConformance(t, async (t) => {
      const store = await freshBook(t);
      const open = () => create({ book: createLocalPayments(store), clock });
      return { provider: open(), restarted: open, payer: () => browser() };
    }),
  );
}

t.test('PortOne with manual confirm', (t) =>
  providerConformance(t, async (t) => {
    const fake = await startFakePortone(t, clock);
    return {
      provider: portoneAt(fake),
      restarted: () => portoneAt(fake),
      payer: ({ orderNo }) => ({ ...browser(), paymentToken: fake.token(orderNo) }),
    };
  }),
);

t.test('PortOne where the pay window charges', (t) =>
  providerConformance(t, async (t) => {
    const fake = await startFakePortone(t, clock);
    return {
      provider: portoneAt(fake, { manualConfirm: false }),
      restarted: () => portoneAt(fake, { manualConfirm: false }),
      payer({ orderNo }) {
        if ((fake.payments.get(orderNo)?.paidAt ?? null) === null) fake.charge(orderNo);
        return browser();
      },
    };
  }),
);

t.test('the sandbox plays the outcome that the payer asks for', async (t) => {
  const sandbox = createSandbox({ book: createLocalPayments(await freshBook(t)), clock });
  const charge = chargeOf();
  t.same(await sandbox.confirm(charge, browser('abandoned')), { answer: 'nothing' });
  t.equal((await sandbox.lookup(charge.orderNo)).state, 'none');
  t.same(await sandbox.confirm(charge, browser('declined')), { answer: 'declined', code: 'card_declined' });
  t.match(await sandbox.lookup(charge.orderNo), { state: 'failed', failureCode: 'card_declined' });
  t.same(await sandbox.confirm(charge, browser()), { answer: 'fetch' }, 'another try');
  t.match(await sandbox.lookup(charge.orderNo), { state: 'paid', method: 'card', failureCode: null });
  t.same(await sandbox.confirm(charge, browser('declined')), { answer: 'fetch' }, 'it stays paid');
});

t.test('approval charges nothing, for any requested outcome', async (t) => {
  const approval = createApproval({ book: createLocalPayments(await freshBook(t)), clock });
  t.equal(approval.movesMoney, false);
  t.same(await approval.confirm(chargeOf({ orderNo: 'RT-A1' }), browser('declined')), { answer: 'fetch' });
  t.match(await approval.lookup('RT-A1'), { state: 'paid', method: 'approval' });
});

t.test('every request carries what PortOne asks for', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  const charge = chargeOf({ orderNo: 'RT-a/../b ü', orderName: 'x'.repeat(150), method: 'easy_pay' });
  const { checkout } = await portone.start(charge);
  t.same(checkout, {
    script: 'https://cdn.portone.io/v2/browser-sdk.js',
    manualConfirm: true,
    request: {
      storeId: fake.storeId,
      channelKey: fake.channelKey,
      paymentId: charge.orderNo,
      orderName: 'x'.repeat(100),
      totalAmount: 10_000,
      currency: 'KRW',
      payMethod: 'EASY_PAY',
      redirectUrl: charge.returnUrl,
    },
  });
  const paymentToken = fake.token(charge.orderNo);
  await portone.confirm(charge, { ...browser(), paymentToken, txId: 'tx-1' });
  await portone.lookup(charge.orderNo);
  await portone.cancel({
    orderNo: charge.orderNo,
    amountWon: 4_000,
    reason: 'why (pc_1-0)',
    remaining: 10_000,
    idempotencyKey: 'pc_0123456789abcdef-0',
  });
  const path = '/payments/RT-a%2F..%2Fb%20%C3%BC';
  t.same(
    fake.requests.map((seen) => seen.path),
    [`${path}/pre-register`, `${path}/confirm`, `${path}?storeId=store-0f2a`, `${path}/cancel`],
  );
  for (const { headers } of fake.requests) t.equal(headers.authorization, `PortOne ${fake.apiSecret}`);
  const [preRegister, confirm, , cancel] = fake.requests;
  t.match(preRegister?.body, { storeId: fake.storeId, totalAmount: 10_000, currency: 'KRW' });
  t.match(confirm?.body, { paymentToken, txId: 'tx-1', totalAmount: 10_000, currency: 'KRW' });
  t.match(confirm?.headers['idempotency-key'], /^"[\w-]{16,254}"$/);
  t.same(cancel?.body, {
    storeId: fake.storeId,
    reason: 'why (pc_1-0)',
    requester: 'ADMIN',
    amount: 4_000,
    currentCancellableAmount: 10_000,
  });
  t.equal(cancel?.headers['idempotency-key'], '"pc_0123456789abcdef-0"');
  await t.rejects(
    portone.cancel({
      orderNo: charge.orderNo,
      amountWon: 1,
      reason: '',
      remaining: 1,
      idempotencyKey: 'short',
    }),
    /is not a valid idempotency key/,
  );
});

t.test('what confirm may answer', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  const charge = chargeOf();
  await portone.start(charge);
  const confirm = (paymentToken: string | null) => portone.confirm(charge, { ...browser(), paymentToken });
  const token = fake.token(charge.orderNo);
  t.same(await confirm(null), { answer: 'nothing' }, 'the payer came back without a token');
  t.same(await confirm('nonsense'), { answer: 'declined', code: 'invalid_payment_token' });
  t.same(await confirm(fake.token(charge.orderNo, { total: 1 })), { answer: 'mismatch' });
  t.same(await confirm(fake.token(charge.orderNo, { declined: 'REJECT_CARD_COMPANY' })), {
    answer: 'declined',
    code: 'REJECT_CARD_COMPANY',
  });
  const answers = [
    [401, { type: 'UNAUTHORIZED' }, { answer: 'declined', code: 'unauthorized' }],
    [429, { type: 'TOO_MANY_REQUESTS' }, { answer: 'declined', code: 'too_many_requests' }],
    [404, { type: 'PAYMENT_NOT_FOUND' }, { answer: 'declined', code: 'payment_not_found' }],
    [502, { type: 'PG_PROVIDER', pgCode: '<script>' }, { answer: 'declined', code: 'declined' }],
    [409, { type: 'ALREADY_PAID' }, { answer: 'fetch' }],
    [409, { type: 'SOMETHING_NEW' }, { answer: 'declined', code: 'something_new' }],
  ] as const;
  for (const [status, body, expected] of answers) {
    fake.next('confirm', { kind: 'answer', status, body });
    t.same(await confirm(token), expected, JSON.stringify(body));
  }
  const uncertain = [
    { kind: 'cut_before' },
    { kind: 'answer', status: 500, body: { type: 'INTERNAL' } },
    { kind: 'answer', status: 502, body: '<html>bad gateway</html>' },
    { kind: 'answer', status: 503, body: '' },
    { kind: 'answer', status: 404, body: '{}' },
    { kind: 'answer', status: 200, body: '{"pgTxId":' },
    { kind: 'answer', status: 409, body: { type: 'IDEMPOTENCY_OUTSTANDING_REQUEST' } },
  ] as const;
  for (const how of uncertain) {
    fake.next('confirm', how);
    await t.rejects(confirm(token), ProviderUncertain, JSON.stringify(how));
  }
  t.equal(fake.held(), 0, 'nothing of all that has charged');
  fake.next('confirm', { kind: 'cut_after' });
  await t.rejects(confirm(token), ProviderUncertain);
  t.equal(fake.held(), 10_000, 'but this has');
  t.same(await confirm(token), { answer: 'fetch' });
});

t.test('an answer that hangs, redirects or never ends is given up', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  fake.charge('RT-HANG1', { total: 1 });
  fake.next('lookup', { kind: 'hang' });
  await t.rejects(portoneAt(fake, { timeoutMs: 100 }).lookup('RT-HANG1'), ProviderUncertain);
  fake.next('lookup', { kind: 'answer', status: 302, body: '' });
  await t.rejects(portone.lookup('RT-HANG1'), ProviderUncertain);
  fake.next('lookup', { kind: 'answer', status: 200, body: `"${'x'.repeat(2 * 1024 * 1024)}"` });
  await t.rejects(portone.lookup('RT-HANG1'), ProviderUncertain);
  await t.rejects(portoneAt(fake, { url: 'http://127.0.0.1:9' }).lookup('RT-HANG1'), ProviderUncertain);
  await t.rejects(portoneAt(fake, { apiSecret: 'another' }).lookup('RT-HANG1'), ProviderUncertain);
  t.equal((await portone.lookup('RT-HANG1')).state, 'paid');
});

t.test('a payment with additional fields is read; one without a required field is not', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  fake.charge('RT-READ1', { total: 12_000, paid: 11_000 });
  const look = (alter: (body: Json) => Json | string) => {
    fake.next('lookup', { kind: 'alter', alter });
    return portone.lookup('RT-READ1');
  };
  t.match(await look((b) => b), { state: 'paid', total: 12_000, method: 'card', receiptUrl: /^https/ });
  t.match(await look((b) => ({ ...b, news: { deep: [1] }, method: { type: 'PaymentMethodMoonPay' } })), {
    state: 'paid',
    method: 'moon_pay',
  });
  t.match(await look(({ method, receiptUrl, transactionId, ...b }) => b), {
    state: 'paid',
    method: null,
    receiptUrl: null,
    txId: null,
  });
  t.match(await look((b) => ({ ...b, receiptUrl: 'javascript:alert(1)', currency: 'CURRENCY_KRW' })), {
    receiptUrl: null,
    currency: 'KRW',
  });
  const states = [
    ['READY', 'ready'],
    ['VIRTUAL_ACCOUNT_ISSUED', 'ready'],
    ['PAY_PENDING', 'pending'],
    ['TELEPORTED', 'pending'],
    ['FAILED', 'failed'],
  ];
  for (const [status, state] of states) t.match(await look((b) => ({ ...b, status })), { state }, `${status}`);
  const unreadable: ((body: Json) => Json | string)[] = [
    ({ amount, ...b }) => b,
    ({ channel, ...b }) => b,
    ({ currency, ...b }) => b,
    ({ storeId, ...b }) => b,
    ({ id, ...b }) => b,
    (b) => ({ ...b, amount: { total: '12000' } }),
    (b) => ({ ...b, amount: { total: 12_000.5 } }),
    (b) => ({ ...b, amount: { total: -1 } }),
    (b) => ({ ...b, channel: { type: 'QUANTUM' } }),
    (b) => ({ ...b, status: 'CANCELLED' }),
    (b) => ({ ...b, status: 'CANCELLED', cancellations: [{ status: 'SUCCEEDED' }] }),
    () => '[]',
    () => 'null',
    () => '{"status":"PAID"',
    () => '',
  ];
  for (const alter of unreadable) await t.rejects(look(alter), ProviderUncertain, String(alter));
});

t.test('a cancellation that is decided later, and one by the payer’s bank', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  fake.charge('RT-LATER1', { total: 10_000 });
  fake.cancelLater();
  const request = { orderNo: 'RT-LATER1', amountWon: null, reason: 'r', remaining: 10_000 };
  const cancel = (idempotencyKey: string) => portone.cancel({ ...request, idempotencyKey });
  t.same(await cancel('pc_0123456789abcdef-0'), { answer: 'fetch' });
  t.match(await portone.lookup('RT-LATER1'), {
    state: 'paid',
    cancellations: [{ status: 'requested', at: null }],
  });
  t.same(await cancel('pc_0123456789abcdef-1'), { answer: 'refused', code: 'payment_already_cancelled' });
  fake.decideCancellations('RT-LATER1', 'FAILED');
  t.match(await portone.lookup('RT-LATER1'), { state: 'paid', cancellations: [{ status: 'failed' }] });
  fake.takeBack('RT-LATER1', 'CHARGEBACK');
  t.match(await portone.lookup('RT-LATER1'), {
    state: 'cancelled',
    cancellations: [{ chargeback: false }, { status: 'succeeded', chargeback: true, amount: 10_000 }],
  });
  const uncertain = [
    { status: 409, body: { type: 'IDEMPOTENCY_OUTSTANDING_REQUEST' } },
    { status: 401, body: { type: 'UNAUTHORIZED' } },
    { status: 429, body: { type: 'TOO_MANY_REQUESTS' } },
    { status: 500, body: { type: 'INTERNAL' } },
  ];
  for (const [n, how] of uncertain.entries()) {
    fake.next('cancel', { kind: 'answer', ...how });
    await t.rejects(cancel(`pc_uncertain_0123456789-${n}`), ProviderUncertain);
  }
  fake.next('cancel', { kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'NO_FUNDS' } });
  t.same(await cancel('pc_refused_0123456789-0'), { answer: 'refused', code: 'NO_FUNDS' });
});

t.test('a webhook is believed only when it is whole, fresh and signed', async (t) => {
  const fake = await startFakePortone(t, clock);
  const portone = portoneAt(fake);
  const read = ({ body, headers }: ReturnType<FakePortone['webhook']>, given: Json = {}, altered = body) =>
    portone.readWebhook(Buffer.from(altered), { ...headers, ...given } as Record<string, string>);
  const good = fake.webhook('Transaction.Paid', 'RT-HOOK1');
  const paid = { kind: 'payment', orderNo: 'RT-HOOK1', disputed: false };
  t.same(read(good), paid);
  const signature = good.headers['webhook-signature'];
  t.same(
    read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { secret: 'c2VjcmV0LW9mLXRoZS1mYWtlLTI=' })),
    paid,
    'the other secret of a rotation',
  );
  t.same(read(good, { 'webhook-signature': `v1,AAAA v2,xyz ${signature}` }), paid, 'one of several fits');
  t.same(read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { skewS: -300 })), paid);
  t.same(read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { skewS: 300 })), paid);
  t.match(read(fake.webhook('Transaction.DisputeCreated', 'RT-HOOK1')), { disputed: true });

  const refused = (header: string) => ({ kind: 'refused', header });
  for (const skewS of [-301, 301]) {
    t.same(read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { skewS })), refused('webhook-timestamp'), `${skewS}`);
  }
  const wrong: [Json, string][] = [
    [{ 'webhook-signature': signature.replace('v1,', 'v2,') }, 'webhook-signature'],
    [{ 'webhook-signature': `${signature}, ${signature}` }, 'webhook-signature'],
    [{ 'webhook-signature': [signature, signature] }, 'webhook-signature'],
    [{ 'webhook-signature': signature.slice(0, -4) }, 'webhook-signature'],
    [{ 'webhook-signature': 'v1,' }, 'webhook-signature'],
    [{ 'webhook-signature': undefined }, 'webhook-signature'],
    [{ 'webhook-id': 'another' }, 'webhook-signature'],
    [{ 'webhook-id': `${good.headers['webhook-id']}, x` }, 'webhook-id'],
    [{ 'webhook-id': undefined }, 'webhook-id'],
    [{ 'webhook-timestamp': undefined }, 'webhook-timestamp'],
    [{ 'webhook-timestamp': `${good.headers['webhook-timestamp']}.0` }, 'webhook-timestamp'],
  ];
  for (const [given, header] of wrong) t.same(read(good, given), refused(header), JSON.stringify(given));
  t.same(read(good, {}, `${good.body}\n`), refused('webhook-signature'), 'white space');
  t.same(read(good, {}, JSON.stringify(JSON.parse(good.body), null, 1)), refused('webhook-signature'), 'written anew');
  t.same(
    read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { secret: 'YW5vdGhlciBzZWNyZXQgb2YgdGhlaXJz' })),
    refused('webhook-signature'),
  );

  const ignored = { kind: 'ignored' };
  t.same(read(fake.webhook('BillingKey.Issued', null)), ignored);
  t.same(read(fake.webhook('Transaction.Paid', null)), ignored);
  t.same(read(fake.webhook('Transaction.Paid', 'RT-HOOK1', { storeId: 'store-of-others' })), ignored);
  const now = String(Math.floor(clock.now() / 1000));
  for (const body of ['{}', 'nonsense', '{"payment_id":"RT-HOOK1","tx_id":"1","status":"Paid"}']) {
    const headers = signedHeaders('c2VjcmV0LW9mLXRoZS1mYWtlLTE=', 'msg_x', now, body);
    t.same(portone.readWebhook(Buffer.from(body), headers), ignored, body);
  }
});

t.test('the signature is that of the Standard Webhooks convention', async (t) => {
  // Computed with another program.
  const body = Buffer.from(
    '{"type":"Transaction.Paid","timestamp":"2024-04-25T10:00:00.000Z","data":{"paymentId":"tu_example_000001","storeId":"store-ae356798-3d20-4969-b739-14c6b0e1a667","transactionId":"55451513-9763-4a7a-bb43-78a4c65be843"}}',
  );
  const keys = keysOf(['whsec_pzQGE83cSIRKM4/WH5QY+g==']);
  const headers = {
    'webhook-id': 'msg_test_1',
    'webhook-timestamp': '1714039200',
    'webhook-signature': 'v1,xTt79tWp0Jc88qcZ5i2CUw7N9dyGyTFIsypnFsByeB8=',
  };
  t.equal(webhookProblem(keys, headers, body, 1_714_039_200_000), null);
  t.equal(webhookProblem(keys, headers, body, 1_714_039_501_000), 'webhook-timestamp');
  t.equal(webhookProblem([], headers, body, 1_714_039_200_000), 'webhook-signature');
  for (const secret of ['', 'whsec_', 'short', 'not base64 at all, no']) t.equal(webhookKey(secret), null, secret);
  const key = webhookKey('pzQGE83cSIRKM4/WH5QY+g==');
  t.ok(key && createHmac('sha256', key), 'the prefix may be left out');
});
