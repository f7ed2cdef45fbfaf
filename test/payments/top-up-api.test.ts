// The API of top-ups and credit: who may, every refusal with its code, lists by page, and the operator's commands.
// Runs in: soak
import t, { type Test } from 'tap';
import { printedBy } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { startFakePortone } from './fake-portone.js';
import { DAY, portoneSettings, RATE } from './rig.js';

const HOUR = 3_600_000;
const consents = { terms: true, withdrawal: true };

interface Page {
  data: Record<string, string>[];
  next_cursor: string | null;
}

type Answer = Awaited<ReturnType<Harness['callConsole']>>;

async function office(t: Test, options: Parameters<typeof startHarness>[1] = {}) {
  const h = await startHarness(t, options);
  const cookie = await h.signIn('owner');
  const org = `/v1/organizations/${h.org.orgId}`;
  const send = (method: string, path: string, body?: unknown, as = cookie, key?: string) =>
    h.callConsole(method, path.startsWith('/v1') ? path : `${org}${path}`, {
      key: null,
      headers: { cookie: as, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      ...(body === undefined ? {} : { body }),
    });
  const topUp = async (usd = 10): Promise<string> => (await send('POST', '/topups', { usd })).json().order_id;
  const paid = async (usd = 10): Promise<string> => {
    const orderId = await topUp(usd);
    await send('POST', `/topups/${orderId}/pay`, { consents });
    return orderId;
  };
  return { h, cookie, send, topUp, paid };
}

function refused(t: Test, answer: Answer, status: number, code: string, name = code) {
  t.equal(answer.statusCode, status, name);
  t.equal(answer.json().error.code, code, name);
  return answer.json().error;
}

t.test('the API of an organization with the sandbox', async (t) => {
  const { h, cookie, send, topUp, paid } = await office(t);

  await t.test('a top-up as the contract shows it, from creation to withdrawal', async (t) => {
    const made = await send('POST', '/topups', { usd: 85 });
    t.equal(made.statusCode, 201);
    const { order_id, payment, ...shown } = made.json();
    t.match(order_id, /^[A-Za-z0-9_-]{6,64}$/);
    t.match(payment, { provider: 'sandbox', status: 'pending', amount_won: 124_644, checkout: null });
    const created_at = new Date(h.clock.now()).toISOString();
    t.same(shown, {
      organization_id: h.org.orgId,
      status: 'pending',
      usd: 85,
      credit_micro_usd: 85_000_000,
      credit_usd: '85.000000',
      amount_krw: 124_644,
      supply_krw: 113_313,
      vat_krw: 11_331,
      fx_day: '2026-03-01',
      fx_source: 'fixed',
      fixed_krw_per_usd: RATE,
      payment_id: null,
      method: null,
      paid_at: null,
      receipt_url: null,
      failure_code: null,
      cancelled_krw: 0,
      withdrawing_krw: 0,
      withdrawable_until: null,
      created_at,
      expires_at: new Date(h.clock.now() + HOUR).toISOString(),
      pay_url: `${h.siteUrl}/pay/topup/${order_id}`,
    });
    const confirmed = await send('POST', `/topups/${order_id}/confirm`, {});
    t.match(confirmed.json(), { status: 'paid', payment: { status: 'paid' }, paid_at: created_at });
    const detail = (await send('GET', `/topups/${order_id}`)).json();
    t.match(detail, {
      order_id,
      status: 'paid',
      provider: 'sandbox',
      withdrawable_krw: 124_644,
      payment_id: /./,
      withdrawable_until: new Date(h.clock.now() + 7 * DAY).toISOString(),
      consent: { terms: /./, withdrawal: /./, version: /./ },
    });
    const part = (await send('POST', `/topups/${order_id}/withdraw`, { krw: 24_644 })).json();
    t.match(part, { status: 'paid', cancelled_krw: 24_644 });
    const rest = (await send('POST', `/topups/${order_id}/withdraw`, {})).json();
    t.match(rest, { status: 'cancelled', cancelled_krw: 124_644 });
    t.match((await send('GET', '/credit')).json(), { balance_micro_usd: 0, balance_usd: '0.000000' });
    const { data } = (await send('GET', '/ledger')).json();
    t.match(data, [
      { kind: 'withdrawal', krw: -100_000, balance_usd: '0.000000', order_id },
      { kind: 'withdrawal', krw: -24_644, credit_usd: '-16.805783', order_id },
      { kind: 'top_up', krw: 124_644, credit_usd: '85.000000', balance_usd: '85.000000', order_id },
    ]);
    const actions = await h.store.all(`SELECT action, target FROM audit_log WHERE action LIKE 'top_up.%' ORDER BY id`);
    t.same(actions, [
      { action: 'top_up.create', target: order_id },
      { action: 'top_up.confirm', target: order_id },
      { action: 'top_up.withdraw', target: order_id },
      { action: 'top_up.withdraw', target: order_id },
    ]);
  });

  await t.test('the rate is for everybody who is known', async (t) => {
    const developer = await h.signIn('developer');
    const rate = (given: object) => h.callConsole('GET', '/v1/fx-rates/today', { key: null, ...given });
    for (const given of [{ headers: { cookie: developer } }, { key: h.keys.read }, { key: h.keys.manage }]) {
      t.same((await rate(given)).json(), {
        fx_day: '2026-03-01',
        krw_per_usd: RATE,
        source: 'fixed',
        fetched_at: new Date(h.clock.now()).toISOString(),
      });
    }
    refused(t, await rate({}), 401, 'api_key_required');
    refused(t, await rate({ key: `${h.keys.read}x` }), 401, 'invalid_api_key');
  });

  await t.test('a repeated request with an Idempotency-Key has one effect', async (t) => {
    const count = async () => (await h.store.all('SELECT * FROM top_ups')).length;
    const before = await count();
    const keyed = (key: string, usd = 20, as = cookie) => send('POST', '/topups', { usd }, as, key);
    const [first, ...repeats] = await Promise.all(Array.from({ length: 5 }, () => keyed('create')));
    t.equal(first?.statusCode, 201);
    for (const repeat of repeats) t.equal(repeat.body, first?.body);
    t.equal(repeats.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 4);
    t.equal(await count(), before + 1);
    refused(t, await keyed('create', 21), 409, 'idempotency_conflict', 'another amount');
    refused(t, await keyed('with space'), 400, 'invalid_idempotency_key');
    const developer = await h.signIn('developer', { email: 'builds@example.com' });
    refused(t, await keyed('create', 20, developer), 403, 'insufficient_permission');
    const admin = await h.signIn('admin', { email: 'pays@example.com' });
    t.equal((await keyed('create', 20, admin)).body, first?.body, 'keys are of an organization');
    const elsewhere = await h.callConsole('POST', `/v1/organizations/${h.other.orgId}/topups`, {
      key: null,
      headers: {
        cookie: await h.signIn('owner', { org: h.other, email: 'miller@example.com' }),
        'idempotency-key': 'create',
      },
      body: { usd: 20 },
    });
    t.match(elsewhere.json(), { organization_id: h.other.orgId });
    t.equal(await count(), before + 2);

    const orderId = await paid();
    const withdraw = (key: string, krw = 4_664) => send('POST', `/topups/${orderId}/withdraw`, { krw }, cookie, key);
    const part = await withdraw('withdraw');
    t.match(part.json(), { cancelled_krw: 4_664, withdrawing_krw: 0 }, 'what the provider has done');
    const again = await withdraw('withdraw');
    t.equal(again.body, part.body);
    t.equal(again.headers['idempotent-replayed'], 'true');
    refused(t, await withdraw('withdraw', 4_665), 409, 'idempotency_conflict');
    const { order_id: open } = first?.json() ?? {};
    refused(
      t,
      await send('POST', `/topups/${open}/withdraw`, { krw: 4_664 }, cookie, 'withdraw'),
      409,
      'idempotency_conflict',
      'another top-up',
    );
    t.match((await withdraw('second')).json(), { cancelled_krw: 9_328 });
    refused(t, await withdraw('third', 10_000), 400, 'invalid_request');
    t.match((await withdraw('third', 5_336)).json(), { status: 'cancelled' }, 'a refusal is not kept');
    const entries = await h.store.all(
      `SELECT target FROM audit_log WHERE action = 'top_up.withdraw' AND result = 'ok' AND target = '${orderId}'`,
    );
    t.equal(entries.length, 3);
  });

  await t.test('the operator gives credit and takes what was spent', async (t) => {
    const mine = await paid();
    const admin = async (...argv: string[]) => {
      const { code, out, err } = await printedBy(['credit', ...argv, '--data', h.data, '--json']);
      return { exit: code, complaint: err, json: out === '' ? null : JSON.parse(out) };
    };
    const org = h.org.orgId;
    const spent = await admin('adjust', org, '--micro-usd', '-4000000', '--reason', 'Mac time');
    t.match(spent, { exit: 0, json: { balance_usd: '6.000000', entries: [{ reason: 'Mac time' }, {}] } });
    t.match(await admin('adjust', org, '--micro-usd', '-6000001', '--reason', 'x'), {
      exit: 65,
      complaint: /left/,
    });
    for (const amount of ['0', '1.5', '1e6', 'all', '9999999999999']) {
      t.equal((await admin('adjust', org, '--micro-usd', amount, '--reason', 'x')).exit, 64, amount);
    }
    t.equal((await admin('adjust', org, '--micro-usd', '1', '--reason', ' ')).exit, 64);
    t.equal((await admin('adjust', 'org_none', '--micro-usd', '1', '--reason', 'x')).exit, 65);
    t.match(await admin('show', org), { exit: 0, json: { balance_micro_usd: 6_000_000 } });
    const { data } = (await send('GET', '/ledger')).json();
    t.match(data[0], {
      kind: 'adjustment',
      reason: 'Mac time',
      credit_usd: '-4.000000',
      order_id: null,
      krw: null,
    });
    const answer = await send('POST', `/topups/${mine}/withdraw`, {});
    t.same(refused(t, answer, 409, 'credit_spent').details, { withdrawable_krw: 8_798 });
  });

  await t.test('lists are read page by page', async (t) => {
    const made: string[] = [];
    await h.clock.advance(1);
    for (let i = 0; i < 5; i++) {
      made.unshift(await paid(1));
      if (i % 2 === 0) await h.clock.advance(1);
    }
    const all = async (path: string, name: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page = (await send('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`)).json();
        t.ok(page.data.length <= 2);
        found.push(...page.data.map((row) => row[name] ?? ''));
        cursor = page.next_cursor;
      }
      return found;
    };
    t.same((await all('/topups', 'order_id')).slice(0, 5).sort(), made.toSorted());
    t.same((await all('/ledger', 'order_id')).slice(0, 5), made);
  });

  await t.test('what is refused, and with which code', async (t) => {
    for (const usd of [0, -1, 10_001, 1.5, '10', null]) {
      const { details } = refused(t, await send('POST', '/topups', { usd }), 400, 'invalid_request', `${usd}`);
      t.same(details.fields, ['usd']);
    }
    refused(t, await send('POST', '/topups', { usd: 1, rate: 1 }), 400, 'invalid_request', 'an unknown field');
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'before=1']) {
      refused(t, await send('GET', `/topups?${query}`), 400, 'invalid_request', query);
      refused(t, await send('GET', `/ledger?${query}`), 400, 'invalid_request', query);
    }
    for (const verb of ['/pay', '/confirm', '/cancel', '/withdraw']) {
      refused(
        t,
        await send('POST', `/topups/TU-0000-0000-0000${verb}`, { ...(verb === '/pay' ? { consents } : {}) }),
        404,
        'not_found',
        verb,
      );
    }
    refused(t, await send('GET', '/topups/TU-0000-0000-0000'), 404, 'not_found');
    const other = await h.signIn('owner', { org: h.other });
    refused(
      t,
      await send('GET', `/topups/${await topUp()}`, undefined, other),
      404,
      'not_found',
      'of another organization',
    );

    const open = await topUp();
    refused(t, await send('POST', `/topups/${open}/pay`, { consents: { terms: true } }), 400, 'consent_required');
    refused(t, await send('POST', `/topups/${open}/withdraw`, {}), 409, 'topup_not_withdrawable');
    t.match((await send('POST', `/topups/${open}/pay`, { consents, outcome: 'declined' })).json(), {
      status: 'pending',
      failure_code: 'card_declined',
    });
    t.equal((await send('POST', `/topups/${open}/cancel`)).json().status, 'cancelled');
    refused(t, await send('POST', `/topups/${open}/cancel`), 409, 'order_not_payable');

    const done = await paid();
    refused(t, await send('POST', `/topups/${done}/pay`, { consents }), 409, 'order_not_payable');
    const { details } = refused(
      t,
      await send('POST', `/topups/${done}/withdraw`, { krw: 14_665 }),
      400,
      'invalid_request',
    );
    t.same(details.fields, ['krw']);
    for (const krw of [0, -1, 1.5, 'all']) {
      refused(t, await send('POST', `/topups/${done}/withdraw`, { krw }), 400, 'invalid_request', `${krw}`);
    }

    const late = await topUp();
    await h.pass(HOUR);
    t.equal((await send('GET', `/topups/${late}`)).json().status, 'expired');
    refused(t, await send('POST', `/topups/${late}/pay`, { consents }), 409, 'order_expired');
    await h.clock.advance(7 * DAY);
    const again = await h.signIn('owner', { email: 'later@example.com' });
    refused(t, await send('POST', `/topups/${done}/withdraw`, {}, again), 409, 'withdrawal_expired');
  });
});

t.test('without a rate there is no top-up', async (t) => {
  const { send } = await office(t, { payments: { fixedRate: null } });
  refused(t, await send('POST', '/topups', { usd: 10 }), 503, 'fx_unavailable');
  const { retryable } = refused(t, await send('GET', '/v1/fx-rates/today'), 503, 'fx_unavailable');
  t.equal(retryable, true);
});

t.test('PortOne: the window opens only after consent; too many, blocked and unreachable', async (t) => {
  let now = () => 0;
  const fake = await startFakePortone(t, { now: () => now() });
  const { h, send, topUp } = await office(t, {
    payments: { provider: 'portone', portone: portoneSettings(fake) },
  });
  now = () => h.clock.now();
  const orderId = await topUp();
  const paying = (await send('POST', `/topups/${orderId}/pay`, { consents, method: 'EASY_PAY' })).json();
  t.match(paying.payment.checkout.request, {
    paymentId: orderId,
    totalAmount: 14_664,
    currency: 'KRW',
    payMethod: 'EASY_PAY',
    orderName: '10 USD of credit',
    redirectUrl: `${h.siteUrl}/pay/topup/${orderId}`,
  });
  const wrong = fake.token(orderId, { total: 1 });
  refused(t, await send('POST', `/topups/${orderId}/confirm`, { payment_token: wrong }), 400, 'payment_mismatch');
  fake.next('pre-register', { kind: 'cut_before' });
  refused(t, await send('POST', `/topups/${orderId}/pay`, { consents }), 503, 'payment_unavailable');
  const token = fake.token(orderId);
  const paid = (await send('POST', `/topups/${orderId}/confirm`, { payment_token: token })).json();
  t.match(paid, { status: 'paid', receipt_url: /receipts/, method: 'card' });
  fake.next('cancel', { kind: 'cut_before' });
  const withdraw = () => send('POST', `/topups/${orderId}/withdraw`, { krw: 5_000 }, undefined, 'lost');
  const asked = await withdraw();
  t.match(asked.json(), { status: 'paid', cancelled_krw: 0, withdrawing_krw: 5_000 });
  await h.pass(60_000);
  t.match((await send('GET', `/topups/${orderId}`)).json(), { cancelled_krw: 5_000, withdrawing_krw: 0 });
  t.equal((await withdraw()).body, asked.body, 'the first answer, whatever has happened since');
  t.equal(fake.get(orderId).cancellations.length, 1);
  for (let i = 0; i < 10; i++) await topUp(1);
  const { retryable } = refused(t, await send('POST', '/topups', { usd: 1 }), 429, 'too_many_pending_orders');
  t.equal(retryable, true);
  await h.store.run('UPDATE organizations SET payments_blocked = 1');
  refused(t, await send('POST', '/topups', { usd: 1 }), 403, 'account_blocked');
  refused(t, await send('POST', `/topups/${orderId}/withdraw`, {}), 403, 'account_blocked');
});
