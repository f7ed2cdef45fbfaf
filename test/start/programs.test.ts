// Two programs that know the start page only. Where a request is refused they follow `next` as it stands, below the
// service's origin, or wait as long as `retry_after_s` says: nothing that they send on such advice is refused again.
import t, { type Test } from 'tap';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, DAY, HOUR, iso, order, pay, rent } from '../harness/renting.js';

interface Next {
  action: string;
  method: string;
  path: string;
  body?: object;
}

interface Refusal {
  code: string;
  retryable: boolean;
  retry_after_s: number | null;
  message: string;
  next: Next[];
}

type Answer = Awaited<ReturnType<Harness['inject']>>;

/** A program with a key. It keeps what it was told and complains when advice led nowhere. */
function program(t: Test, h: Harness) {
  const send = ({ method, path, body }: Omit<Next, 'action'>): Promise<Answer> =>
    h.inject({
      method: method as 'GET',
      url: path,
      headers: { authorization: `Bearer ${h.keys.all}`, 'service-error-format': '2' },
      ...(body ? { payload: body } : {}),
    });
  const ok = ({ statusCode }: Answer) => statusCode >= 200 && statusCode < 300;

  return {
    send,
    /** Sends it; it must succeed. */
    async get(path: string) {
      const answer = await send({ method: 'GET', path: `/api/v1${path}` });
      t.ok(ok(answer), `GET ${path}`, { body: answer.body });
      return answer;
    },
    /** Sends what is refused with `code`, and follows the first advice. */
    async refused(code: string, path: string, body: object, action: string | null): Promise<Answer | null> {
      const answer = await send({ method: 'POST', path: `/api/v1${path}`, body });
      const error: Refusal = answer.json().error;
      t.equal(error?.code, code, `${path} ${JSON.stringify(body)}`, { body: answer.body });
      t.equal(typeof error.retry_after_s === 'number', error.retryable, 'when it may be repeated');
      const [first] = error.next;
      t.equal(first?.action ?? null, action, code);
      if (!first) return null;
      t.match(first.path, /^\/(?:api\/v1\/|agent-start\.md)/, 'an absolute path of the service');
      const followed = await send(first);
      t.ok(ok(followed), `${code}: ${first.method} ${first.path} ${JSON.stringify(first.body)}`, {
        body: followed.body,
      });
      return followed;
    },
  };
}

const advance = async (h: Harness, ms: number) => {
  await h.clock.skip(ms);
  await h.workers.idle();
};

t.test('a program that rents, extends to the end, and rents again', async (t) => {
  const h = await startHarness(t, { limits: { unpaid_share_percent: 50, pending_orders: 5 } });
  const { refused, get, send } = program(t, h);
  const host = await addHost(h, 4, { shared: true });
  const page = (await h.inject({ url: '/agent-start.md' })).body;
  for (const said of [
    '`path` in `next` and `download_url` are absolute paths below http://cidermill.test, not below base_url',
    'A Mac can be rented for `max_days` of its tier (at most 30), extensions included',
    'With a later `start`, wait only until the order is paid',
    'The same upload can be built again',
    '`timings.estimated_end_at`',
    'use the time limits of builds without such a history',
    'Without `"keep_cache":true`, reset and PATCH of runtimes or tools recreate the Mac',
    '`size` and `sha256`',
    'a name for each Mac',
    '{"name":"Release"} another name, at once; the Mac stays as it is',
  ]) {
    t.ok(page.replace(/\s+/g, ' ').includes(said), said);
  }

  const [tier] = (await get('/catalog')).json().tiers;
  t.equal(tier.available_now, 2);
  await refused('no_capacity', '/orders', { tier: 'm4', hours: 24, units: 4 }, 'order_fewer');
  const [first] = (await get('/orders')).json().orders;
  await pay(h, first.order_no);
  for (const id of await host.rentalIds()) await host.mac(id, 'ready');
  await refused('invalid_period', '/orders', { tier: 'm4', hours: 25 }, 'send_whole_days');
  await refused('invalid_period', '/quote', { tier: 'm4', hours: 99_999 }, 'send_whole_days');

  const [id = ''] = (await get(`/orders/${first.order_no}`)).json().rental_ids;
  const left = (await get(`/rentals/${id}`)).json().max_extend_days;
  t.equal(left, 29);
  await refused('invalid_period', `/rentals/${id}/extend/quote`, { hours: 30 }, 'send_whole_days');
  const longer = { hours: 720 };
  await refused('rental_duration_limit', `/rentals/${id}/extend/quote`, longer, 'extend_by_fewer_days');
  const extension = await refused('rental_duration_limit', `/rentals/${id}/extend`, longer, 'extend_by_fewer_days');
  t.equal(extension?.json().hours, 29 * 24);
  await pay(h, extension?.json().order_no);

  t.match((await get(`/rentals/${id}`)).json(), { can_extend: false, max_extend_days: 0 });
  // The order above holds what unpaid orders may hold.
  await refused('rental_duration_limit', `/rentals/${id}/extend`, { hours: 24 }, 'quote_new_mac');
  await refused('invalid_period', `/rentals/${id}/extend`, { hours: 25 }, 'quote_new_mac');
  await advance(h, 29 * DAY + HOUR);
  const status = (await get('/status')).json();
  const ending = status.advice.filter((one: { rental_id?: string }) => one.rental_id === id);
  t.strictSame(
    ending.flatMap((one: { next: Next[] }) => one.next.map(({ action }) => action)).slice(0, 1),
    ending.length > 0 ? ['quote_new_mac'] : [],
  );
  for (const { next } of status.advice) for (const one of next) t.equal((await send(one)).statusCode, 200, one.action);
});

t.test('a Mac at its 30 days: the start page and the advice lead to a new one', async (t) => {
  const h = await startHarness(t);
  const { get, send, refused } = program(t, h);
  const host = await addHost(h, 2);
  const [id = ''] = await rent(h, host, { hours: 720 });
  await advance(h, 29 * DAY + 12 * HOUR);
  const page = (await get('/agent/start')).body;
  t.match(page, `Mac 1 (${id}) ends in 12 h and cannot be extended: order a new Mac`);
  t.notMatch(page, `/rentals/${id}/extend`);
  await advance(h, 11.5 * HOUR);
  const { advice } = (await get('/status')).json();
  t.match(advice, [{ kind: 'expiring_soon', next: [{ action: 'quote_new_mac' }] }]);
  t.equal((await send(advice[0].next[0])).statusCode, 200);
  const day = { hours: 24 };
  const ordered = await refused('rental_duration_limit', `/rentals/${id}/extend`, day, 'order_new_mac');
  t.match(ordered?.json(), { status: 'awaiting_payment', kind: 'rental', ...day });
});

t.test('an order that starts later: quoted like ordered, and nothing waits for it', async (t) => {
  const h = await startHarness(t);
  const { get, refused, send } = program(t, h);
  await addHost(h, 2);
  const later = { tier: 'm4', hours: 24, start: iso(START + 20 * DAY), setup: { xcode: '16.1' } };
  const quoted = await send({ method: 'POST', path: '/api/v1/quote', body: later });
  t.match(quoted.json(), { start: later.start, available_now: 2, amount_won: 10_000 });
  const ordered = await send({ method: 'POST', path: '/api/v1/orders', body: later });
  t.equal(ordered.statusCode, 201);
  await pay(h, ordered.json().order_no);
  t.match((await get('/agent/start')).body, `its Macs start at ${later.start}: do not wait for them before then`);
  const wrong = { ...later, start: 'tomorrow' };
  for (const path of ['/quote', '/orders']) {
    const answer = await send({ method: 'POST', path: `/api/v1${path}`, body: wrong });
    t.equal(answer.json().error.code, 'invalid_start', path);
  }
  await refused('xcode_not_available', '/quote', { ...later, setup: { xcode: '9' } }, 'list_tiers');
});

t.test('a program that finds no Mac waits once, for the time of the answer', async (t) => {
  const h = await startHarness(t);
  const { get, refused } = program(t, h);
  await addHost(h, 1);
  await order(h, {}, h.other.key);
  const body = { tier: 'm4', hours: 24 };
  await refused('no_active_rental', '/builds', { script: 'true', repo: 'a/b' }, 'list_tiers');
  await refused('no_capacity', '/orders', body, 'join_waitlist');
  await refused('no_capacity', '/orders', body, 'list_waitlist');
  await refused('waitlist_exists', '/waitlist', { tier: 'm4' }, 'list_waitlist');
  await advance(h, 30 * 60_000);
  t.match((await get('/waitlist')).json().entries, [{ status: 'notified' }]);
  await refused('available_now', '/waitlist', { tier: 'm4' }, 'order');
  await refused('no_capacity', '/orders', body, 'join_waitlist');
});
