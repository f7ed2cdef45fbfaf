// The pay page's API: who may pay, what is refused and with which code, and PortOne's address for webhooks.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { cancelOrder } from '../../control-plane/renting/app/order-ends.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { parked } from '../harness/parked.js';
import { type FakePortone, startFakePortone } from '../payments/fake-portone.js';
import { moneyProblems, portoneSettings } from '../payments/rig.js';
import { readCancellations } from '../payments/rows.js';

const HOUR = 3_600_000;
const consents = { terms: true, withdrawal: true };

/** One slot, rented for a day; orders are for the days after it. */
async function shop(t: Test, options: Parameters<typeof startHarness>[1] = {}) {
  const h = await startHarness(t, options);
  await startBuildHost(h, { macs: 1, hours: 24 });
  const cookie = await h.signIn('owner');
  let days = 1;
  const order = async (): Promise<string> => {
    days += 1;
    const start = new Date(START + days * 24 * HOUR).toISOString();
    const made = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, start } });
    if (made.statusCode !== 201) throw new Error(made.body);
    return made.json().order_no;
  };
  const send = (method: string, orderNo: string, verb: string, body?: unknown, as = cookie, org = h.org.orgId) =>
    h.callConsole(method, `/v1/organizations/${org}/orders/${orderNo}${verb}`, {
      key: null,
      headers: { cookie: as },
      ...(body === undefined ? {} : { body }),
    });
  const pay = (orderNo: string, body: object = {}) => send('POST', orderNo, '/pay', { consents, ...body });
  const confirm = (orderNo: string, body: object = {}) => send('POST', orderNo, '/confirm', body);
  return { h, cookie, order, send, pay, confirm };
}

async function portoneShop(t: Test, given: Parameters<typeof portoneSettings>[1] = {}) {
  let now = () => START;
  const fake = await startFakePortone(t, { now: () => now() });
  const made = await shop(t, { payments: { provider: 'portone', portone: portoneSettings(fake, given) } });
  now = () => made.h.clock.now();
  const tell = ({ body, headers }: ReturnType<FakePortone['webhook']>) =>
    made.h.inject({ method: 'POST', url: '/api/runner/v1/payments/portone/webhook', payload: body, headers });
  return { ...made, fake, tell };
}

type Answer = Awaited<ReturnType<Harness['callConsole']>>;

function refused(t: Test, answer: Answer, status: number, code: string, name = code) {
  t.equal(answer.statusCode, status, name);
  t.equal(answer.json().error.code, code, name);
}

t.test('an owner reads the terms, agrees and pays, and the waiting program gets the answer', async (t) => {
  const { h, order, send, pay } = await shop(t);
  const orderNo = await order();
  const page = await send('GET', orderNo, '');
  t.equal(page.statusCode, 200);
  t.match(page.json(), {
    order: {
      order_no: orderNo,
      status: 'awaiting_payment',
      amount_won: Number,
      vat_won: Number,
      pay_url: /\/pay\/RT-/,
    },
    payment: null,
    provider: 'sandbox',
    consent: { version: /./, sha256: /^[0-9a-f]{64}$/, terms: /./, withdrawal: /./ },
  });
  for (const body of [
    undefined,
    {},
    { consents: {} },
    { consents: { terms: true } },
    { consents: { ...consents, terms: false } },
  ]) {
    refused(t, await send('POST', orderNo, '/pay', body), 400, 'consent_required', JSON.stringify(body));
  }
  refused(
    t,
    await pay(orderNo, { consents: { ...consents, version: 'old' } }),
    400,
    'consent_required',
    'another text',
  );
  refused(t, await send('POST', orderNo, '/confirm', {}), 400, 'consent_required');

  const waiting = h.call('GET', `/orders/${orderNo}/wait?timeout=30`);
  await parked(h);
  const { version } = page.json().consent;
  const paid = await pay(orderNo, { method: 'CARD', consents: { ...consents, version } });
  t.equal(paid.statusCode, 200);
  t.match(paid.json(), {
    order: { order_no: orderNo, status: 'paid', rental_ids: [/^rt_/], paid_at: /^2026-03-01T09:00:00/ },
    payment: {
      provider: 'sandbox',
      status: 'paid',
      method: 'card',
      payment_id: /./,
      failure_code: null,
      amount_won: page.json().order.amount_won,
      cancelled_won: 0,
      checkout: null,
    },
  });
  t.equal((await waiting).json().status, 'paid');
  refused(t, await pay(orderNo), 409, 'order_not_payable');
  refused(t, await send('POST', orderNo, '/cancel'), 409, 'order_not_payable');
  t.equal((await send('POST', orderNo, '/confirm', {})).json().payment.status, 'paid', 'harmless to repeat');
  t.match(await h.store.get('SELECT * FROM consents'), {
    order_no: orderNo,
    text_version: version,
    ip: '127.0.0.1',
  });
});

t.test('declined and abandoned leave the order payable', async (t) => {
  const { order, pay } = await shop(t);
  const orderNo = await order();
  const declined = await pay(orderNo, { outcome: 'declined' });
  t.equal(declined.statusCode, 200);
  t.match(declined.json(), {
    order: { status: 'awaiting_payment' },
    payment: { status: 'pending', failure_code: 'card_declined', payment_id: null, paid_at: null },
  });
  t.match((await pay(orderNo, { outcome: 'abandoned' })).json(), { payment: { status: 'pending' } });
  t.match((await pay(orderNo)).json(), { order: { status: 'paid' }, payment: { failure_code: null } });
});

t.test('approval: agreeing is paying', async (t) => {
  const { order, pay } = await shop(t, { payments: { provider: 'approval' } });
  const orderNo = await order();
  t.match((await pay(orderNo)).json(), {
    order: { status: 'paid' },
    payment: { provider: 'approval', method: 'approval', status: 'paid' },
  });
});

t.test('what cannot be understood is named', async (t) => {
  const { h, cookie, order, send } = await shop(t);
  const orderNo = await order();
  const wrong: [string, unknown, string][] = [
    ['/pay', { consents: { terms: 'yes', withdrawal: true } }, 'consents'],
    ['/pay', { consents: null }, 'consents'],
    ['/pay', { consents: [] }, 'consents'],
    ['/pay', { consents, method: 'gold' }, 'method'],
    ['/pay', { consents, method: 7 }, 'method'],
    ['/pay', { consents, outcome: 'lost' }, 'outcome'],
    ['/confirm', { payment_token: 7 }, 'payment_token'],
    ['/confirm', { payment_token: '' }, 'payment_token'],
    ['/confirm', { tx_id: 'x'.repeat(257) }, 'tx_id'],
  ];
  for (const [verb, body, field] of wrong) {
    const answer = await send('POST', orderNo, verb, body);
    refused(t, answer, 400, 'invalid_request', JSON.stringify(body).slice(0, 80));
    t.same(answer.json().error.details.fields, [field]);
  }
  const broken = await h.inject({
    method: 'POST',
    url: `/api/runner/v1/organizations/${h.org.orgId}/orders/${orderNo}/pay`,
    payload: '{"consents":',
    headers: { cookie, 'content-type': 'application/json' },
  });
  refused(t, broken, 400, 'invalid_json');
  for (const more of [{ amount_won: 1 }, { status: 'paid' }]) {
    const answer = await send('POST', orderNo, '/pay', { consents, outcome: 'declined', ...more });
    refused(t, answer, 400, 'invalid_request');
  }
  const { order: unpaid } = (await send('GET', orderNo, '')).json();
  t.equal(unpaid.status, 'awaiting_payment', 'nothing else in a body counts');
});

t.test('expired, canceled, blocked', async (t) => {
  const { h, order, send, pay, confirm } = await shop(t);
  const [expired, canceled] = [await order(), await order()];
  t.equal((await send('POST', canceled, '/cancel')).json().order.status, 'canceled');
  for (const answer of [await pay(canceled), await confirm(canceled), await send('POST', canceled, '/cancel')]) {
    refused(t, answer, 409, 'order_not_payable');
  }
  await h.pass(h.limits.pay_link_ms);
  for (const answer of [await pay(expired), await confirm(expired), await send('POST', expired, '/cancel')]) {
    refused(t, answer, 409, 'order_expired');
  }
  t.equal((await send('GET', expired, '')).json().order.status, 'expired');
  const open = await order();
  const organization = await h.organizations.find(h.org.orgId);
  await h.organizations.setPaymentsBlocked(organization, true);
  refused(t, await pay(open), 403, 'account_blocked');
  t.equal((await send('POST', open, '/cancel')).json().order.status, 'canceled', 'cancelling is not paying');
});

t.test('an order that cannot be served is refunded', async (t) => {
  const { h, order, pay, send } = await shop(t);
  const orderNo = await order();
  await pay(orderNo);
  await h.store.transaction(async (tx) => {
    const paid = await findAnyOrder(tx, orderNo);
    if (paid) await cancelOrder(tx, h.orderDeps, paid, 'no_capacity');
  });
  await h.workers.idle();
  const { order: then, payment } = (await send('GET', orderNo, '')).json();
  t.match(then, { status: 'canceled', end_reason: 'no_capacity' });
  t.match(payment, { status: 'cancelled', cancelled_won: then.amount_won });
  t.match(await readCancellations(h.store, orderNo), [{ status: 'succeeded', reason: 'no_capacity' }]);
  t.same(await moneyProblems(h.store, 0), []);
});

t.test('PortOne: from the pay page through its window and back', async (t) => {
  const { h, order, pay, confirm, fake } = await portoneShop(t);
  const orderNo = await order();
  const begun = (await pay(orderNo, { method: 'easy_pay' })).json();
  t.match(begun, {
    order: { status: 'awaiting_payment' },
    payment: {
      provider: 'portone',
      status: 'pending',
      payment_id: null,
      checkout: {
        script: 'https://cdn.portone.io/v2/browser-sdk.js',
        manual_confirm: true,
        request: {
          paymentId: orderNo,
          payMethod: 'EASY_PAY',
          currency: 'KRW',
          redirectUrl: `${h.siteUrl}/pay/${orderNo}`,
        },
      },
    },
  });
  t.equal(begun.payment.checkout.request.totalAmount, begun.order.amount_won);
  t.notMatch(JSON.stringify(begun), fake.apiSecret, 'no secret goes to the browser');
  const answers = await Promise.all([
    confirm(orderNo, { payment_token: fake.token(orderNo), tx_id: 'tx-1' }),
    confirm(orderNo, { payment_token: fake.token(orderNo), tx_id: 'tx-2' }),
  ]);
  for (const answer of answers) t.match(answer.json(), { order: { status: 'paid' }, payment: { status: 'paid' } });
  t.match(answers[0]?.json().order.receipt_url, /^https:/);
  t.same(await moneyProblems(h.store, fake.held()), []);
});

t.test('PortOne: refusals', async (t) => {
  const { h, order, pay, confirm, fake } = await portoneShop(t);
  const orderNo = await order();
  fake.next('pre-register', { kind: 'cut_before' });
  const unavailable = await pay(orderNo);
  refused(t, unavailable, 503, 'payment_unavailable');
  t.equal(unavailable.json().error.retryable, true);
  await pay(orderNo);
  refused(t, await confirm(orderNo, { payment_token: fake.token(orderNo, { total: 1 }) }), 400, 'payment_mismatch');
  const declined = await confirm(orderNo, { payment_token: fake.token(orderNo, { declined: 'NO_LIMIT' }) });
  t.match(declined.json(), { order: { status: 'awaiting_payment' }, payment: { failure_code: 'NO_LIMIT' } });
  t.same(await moneyProblems(h.store, fake.held()), []);
});

t.test('PortOne: an order does not expire while its payment is in doubt', async (t) => {
  const { h, order, pay, confirm, send, fake } = await portoneShop(t);
  const [doubtful, forgotten] = [await order(), await order()];
  await pay(doubtful);
  await pay(forgotten);
  await h.pass(h.limits.pay_link_ms - 1_000);
  fake.next('confirm', { kind: 'cut_after' });
  fake.next('lookup', { kind: 'cut_before' });
  const answer = await confirm(doubtful, { payment_token: fake.token(doubtful) });
  t.equal(answer.statusCode, 200);
  t.equal(answer.json().payment.status, 'confirming');
  await h.pass(2_000);
  t.equal((await send('GET', forgotten, '')).json().order.status, 'expired');
  t.equal((await send('GET', doubtful, '')).json().order.status, 'awaiting_payment');
  await h.pass(60_000);
  t.match((await send('GET', doubtful, '')).json(), {
    order: { status: 'paid' },
    payment: { status: 'paid' },
  });
  t.same(await moneyProblems(h.store, fake.held()), []);
});

t.test('PortOne: a step of the clock does not end the wait for a payment in doubt', async (t) => {
  const { h, order, pay, confirm, send, fake } = await portoneShop(t);
  const orderNo = await order();
  await pay(orderNo);
  // The request to charge may still arrive.
  fake.next('confirm', { kind: 'cut_before' });
  await confirm(orderNo, { payment_token: fake.token(orderNo) });
  h.clock.step(10 * 60_000);
  await h.parts.clockSteps.look();
  await h.workers.idle();
  await h.pass(h.limits.payment_timeout_ms / 2);
  const now = async () => (await send('GET', orderNo, '')).json();
  t.match(await now(), { order: { status: 'awaiting_payment' }, payment: { status: 'confirming' } });
  fake.charge(orderNo);
  await h.pass(60_000);
  t.match(await now(), { order: { status: 'paid' }, payment: { status: 'paid' } });
  t.same(await moneyProblems(h.store, fake.held()), []);
});

t.test('PortOne’s webhooks', async (t) => {
  const { h, order, pay, send, fake, tell } = await portoneShop(t, { manualConfirm: false });
  const orderNo = await order();
  await pay(orderNo);
  fake.charge(orderNo);
  const message = fake.webhook('Transaction.Paid', orderNo);
  for (const headers of [
    {},
    { ...message.headers, 'webhook-signature': 'v1,AAAA' },
    fake.webhook('Transaction.Paid', orderNo, { skewS: -301 }).headers,
  ]) {
    const answer = await h.inject({
      method: 'POST',
      url: '/api/runner/v1/payments/portone/webhook',
      payload: message.body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    refused(t, answer, 400, 'invalid_request');
    t.match(answer.json().error.details.fields, [/^webhook-/]);
  }
  const form = await h.inject({
    method: 'POST',
    url: '/api/runner/v1/payments/portone/webhook',
    payload: 'a=b',
    headers: { ...message.headers, 'content-type': 'application/x-www-form-urlencoded' },
  });
  refused(t, form, 400, 'invalid_json');
  for (const of of ['RT-UNKNOWN', null]) {
    t.equal((await tell(fake.webhook('Transaction.Paid', of))).statusCode, 200, 'about nobody');
  }
  t.equal((await tell(fake.webhook('Wonderful.New', orderNo))).statusCode, 200, 'of a new kind');
  t.equal((await send('GET', orderNo, '')).json().order.status, 'awaiting_payment', 'none of that has paid');
  const taken = await tell(message);
  t.same([taken.statusCode, taken.json()], [200, { received: true }]);
  await h.workers.idle();
  t.equal((await send('GET', orderNo, '')).json().order.status, 'paid');
  t.same(await moneyProblems(h.store, fake.held()), []);
  await tell(fake.webhook('Transaction.DisputeCreated', orderNo));
  refused(t, await pay(await orderBefore(h)), 403, 'account_blocked', 'a dispute blocks payments');
});

/** An order of before the account was blocked. */
async function orderBefore(h: Harness): Promise<string> {
  await h.store.run(`UPDATE organizations SET payments_blocked = 0`);
  const start = new Date(START + 20 * 24 * HOUR).toISOString();
  const made = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, start } });
  await h.store.run(`UPDATE organizations SET payments_blocked = 1`);
  return made.json().order_no;
}

t.test('a webhook header that is sent twice is refused, on a real connection', async (t) => {
  const { h, order, pay, fake } = await portoneShop(t, { manualConfirm: false });
  const orderNo = await order();
  await pay(orderNo);
  const port = Number(new URL(await h.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const post = (double: string | null) =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const { body, headers } = fake.webhook('Transaction.Paid', orderNo);
      const sent = Object.entries(headers).flatMap(([name, value]) =>
        name === double ? [name, value, name, value] : [name, value],
      );
      const length = ['content-length', String(Buffer.byteLength(body)), 'host', 'cidermill.test'];
      const outgoing = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/api/runner/v1/payments/portone/webhook',
          headers: [...sent, ...length],
        },
        (answer) => text(answer).then((said) => resolve([answer.statusCode, said]), reject),
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  t.equal((await post(null))[0], 200);
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const [status, said] = await post(name);
    t.equal(status, 400, said);
  }
});

t.test('without PortOne there is no such address', async (t) => {
  const { h } = await shop(t);
  const answer = await h.inject({
    method: 'POST',
    url: '/api/runner/v1/payments/portone/webhook',
    payload: '{}',
  });
  t.equal(answer.statusCode, 404);
});
