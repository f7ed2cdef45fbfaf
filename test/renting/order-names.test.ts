// Names in orders: held from the order on, so that a payment is never refused for a name.
import t from 'tap';
import { cancelOrder } from '../../control-plane/renting/app/order-ends.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { startHarness } from '../harness/harness.js';
import { addHost, codeOf, HOUR, order, pay, rent } from '../harness/renting.js';

const limits = { pending_orders: 10 };

t.test('names are given to the Macs of the order', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 3);
  const placed = await order(h, { units: 2, names: [' Release ', '테스트'] });
  t.same(placed.names, ['Release', '테스트'], 'as they will be');
  await pay(h, placed.order_no);
  const paid = (await h.call('GET', `/orders/${placed.order_no}`)).json();
  t.same(paid.names, ['Release', '테스트']);
  for (const [at, rental] of paid.rental_ids.entries()) {
    t.equal((await h.call('GET', `/rentals/${rental}`)).json().name, paid.names[at], 'in the order of rental_ids');
  }
  const [extended = ''] = paid.rental_ids;
  const host = await h.call('POST', '/rentals/extend/quote', { body: { rental_ids: [extended], hours: 24 } });
  t.match(host.json().items, [{ rental_id: extended, rental_name: 'Release' }]);
});

t.test('names that are refused', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 3);
  await rent(h, host, { names: ['Release'] });
  const table: [string, object, number, string][] = [
    ['fewer than units', { units: 2, names: ['a'] }, 400, 'invalid_order'],
    ['more than units', { names: ['a', 'b'] }, 400, 'invalid_order'],
    ['the same twice', { units: 2, names: ['a', 'A'] }, 400, 'invalid_order'],
    ['no list', { names: 'a' }, 400, 'invalid_order'],
    ['a number', { names: [1] }, 400, 'invalid_order'],
    ['no name', { names: [' '] }, 400, 'invalid_name'],
    ['an id', { names: ['rt_1'] }, 400, 'invalid_name'],
    ['the name of a Mac', { names: ['release'] }, 409, 'name_taken'],
  ];
  for (const [what, body, status, code] of table) {
    const refused = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, ...body } });
    t.same([refused.statusCode, codeOf(refused)], [status, code], what);
  }
  const second = await h.call('POST', '/orders', {
    body: { tier: 'm4', hours: 24, units: 2, names: ['a', 'Release'] },
  });
  t.match(second.json().error, { field: 'names', fields: [{ path: 'names.1' }] }, 'which of them');
  const typo = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, name: ['a'] } });
  t.match(typo.json().error, { code: 'invalid_order', message: /did you mean names\?/ });
  const quote = await h.call('POST', '/quote', { body: { tier: 'm4', hours: 24, names: ['a', 'b'] } });
  t.same([quote.statusCode, codeOf(quote)], [400, 'invalid_quote']);
  t.equal((await h.store.all('SELECT * FROM mac_names')).length, 1, 'nothing is held by a refused order');
  t.equal((await h.call('GET', '/orders?status=awaiting_payment')).json().orders.length, 0);
});

t.test('an unpaid order holds its names until it ends', async (t) => {
  const h = await startHarness(t, { limits });
  const host = await addHost(h, 4);
  const [mac = ''] = await rent(h, host);
  const first = await order(h, { names: ['Release'] });
  const taken = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, names: ['RELEASE'] } });
  t.same([taken.statusCode, codeOf(taken)], [409, 'name_taken'], 'another order');
  const renamed = await h.call('PATCH', `/rentals/${mac}`, { body: { name: 'Release' } });
  t.same([renamed.statusCode, codeOf(renamed)], [409, 'name_taken'], 'a Mac');
  t.equal(await pay(h, first.order_no), true, 'it is paid with its name');
  t.same((await h.call('GET', `/orders/${first.order_no}`)).json().names, ['Release']);
  const second = await order(h, { names: ['Beta'] });
  await h.pass(HOUR);
  t.equal((await h.call('GET', `/orders/${second.order_no}`)).json().status, 'expired');
  const third = await order(h, { names: ['Beta'] });
  await h.store.transaction(async (tx) => {
    const seen = await findAnyOrder(tx, third.order_no);
    if (seen) await cancelOrder(tx, h.orderDeps, seen, 'canceled_by_person');
  });
  t.equal((await h.call('PATCH', `/rentals/${mac}`, { body: { name: 'Beta' } })).statusCode, 200, 'free again');
});

t.test('two orders that are paid at once have different numbers, and pass over names that were chosen', async (t) => {
  const h = await startHarness(t, { limits });
  await addHost(h, 6);
  const chosen = await order(h, { names: ['mac 2'] });
  const [one, two] = [await order(h, { units: 2 }), await order(h, {})];
  await Promise.all([pay(h, one.order_no), pay(h, two.order_no)]);
  await pay(h, chosen.order_no);
  const { rentals } = (await h.call('GET', '/rentals')).json();
  const names = rentals.map(({ name }: { name: string }) => name);
  t.same(names.sort(), ['Mac 1', 'Mac 3', 'Mac 4', 'mac 2']);
  const other = (await h.call('GET', '/rentals', { key: h.other.key })).json();
  t.same(other.rentals, [], 'names of one organization do not concern another');
});
