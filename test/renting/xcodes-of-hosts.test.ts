// Orders of Macs with an Xcode: what hosts and images have now decides, before anybody pays.
import t from 'tap';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { digestOf, offers } from '../harness/images.js';
import { addHost, codeOf, DAY, iso, order, pay, putM4 } from '../harness/renting.js';
import { free, macs, status } from './orders-rig.js';

const want = (h: Harness, body: object = {}, path = '/orders') =>
  h.call('POST', path, { body: { tier: 'm4', hours: 24, ...body } });
const old = { setup: { xcode: '16.1' } };

t.test('an Xcode that the catalog offers and no host has is refused, with those that hosts have', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2, { xcodes: ['16.2'] });
  for (const path of ['/orders', '/quote']) {
    const refused = await want(h, old, path);
    t.same([refused.statusCode, codeOf(refused)], [400, 'xcode_not_available'], path);
    const { error } = refused.json();
    t.match(error, { message: /16\.1 is available on no host of the tier m4/, options: ['16.2'] });
    const [next] = error.next;
    const followed = await h.call(next.method, next.path.replace('/api/v1', ''), { body: next.body });
    t.equal(followed.statusCode, path === '/quote' ? 200 : 201, 'the suggestion can be sent as it stands');
  }
  t.equal((await h.call('GET', '/orders')).json().orders.length, 1, 'the refused one was not written');
  await h.pass(31 * 60_000);
  await host.install('16.2', '16.1');
  t.equal((await want(h, { ...old, start: 'now' }, '/quote')).statusCode, 200, 'once it is installed');
});

t.test('for a later start, too, an Xcode that no host has is refused before anybody pays', async (t) => {
  const h = await startHarness(t);
  const later = { start: iso(START + 5 * DAY) };
  const one = await addHost(h, 1, { xcodes: ['16.2'] });
  for (const path of ['/orders', '/quote']) {
    const refused = await want(h, { ...old, ...later }, path);
    t.same([refused.statusCode, codeOf(refused)], [400, 'xcode_not_available'], path);
    t.match(refused.json().error, { message: /16\.1 is available on no host of the tier m4/, options: ['16.2'] });
  }
  const [next] = (await want(h, { ...old, ...later })).json().error.next;
  t.match(next.body, { ...later, units: 1, setup: { xcode: '16.2' } });
  const { order_no } = (await h.call('POST', '/orders', { body: next.body })).json();
  await one.install('16.1');
  t.match((await want(h, later, '/quote')).json(), { available_now: 0 }, 'of the default');
  t.equal(codeOf(await want(h, later)), 'xcode_not_available', 'the default');
  const cookie = await h.signIn('owner');
  const payIt = () =>
    h.callConsole('POST', `/v1/organizations/${h.org.orgId}/orders/${order_no}/pay`, {
      key: null,
      headers: { cookie },
      body: { consents: { terms: true, withdrawal: true } },
    });
  t.equal((await payIt()).json().error.code, 'xcode_not_available', 'removed after the order: nothing is charged');
  t.same(await h.store.all('SELECT * FROM ledger'), []);
  const two = await addHost(h, 1, { xcodes: ['16.2'] });
  await two.disconnect();
  t.equal((await payIt()).statusCode, 200, 'a host that is away may be back by then');
});

t.test('the default Xcode of a tier is refused like a named one', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1, { xcodes: ['16.1'] });
  t.equal(await free(h), 0, 'what is offered now is what an order gets');
  const refused = await want(h);
  t.equal(codeOf(refused), 'xcode_not_available');
  t.match(refused.json().error, { message: /16\.2, the default of the tier/, options: ['16.1'] });
  t.equal((await want(h, refused.json().error.next[0].body)).statusCode, 201);
});

t.test('more Macs with an Xcode than hosts have of it', async (t) => {
  const h = await startHarness(t);
  const without = await addHost(h, 4, { shared: true, xcodes: ['16.2'] });
  const host = await addHost(h, 2, { shared: true });
  const refused = await want(h, { ...old, units: 3 });
  t.equal(codeOf(refused), 'xcode_not_available');
  const { error } = refused.json();
  t.match(error, { message: /only on 2 Macs \(3 were asked for\)/, options: ['16.2'] });
  t.same(
    error.next.map((next: { action: string; body: object }) => [next.action, next.body]),
    [
      ['choose_another_xcode', { tier: 'm4', hours: 24, units: 3, setup: { xcode: '16.2' } }],
      ['order_fewer', { tier: 'm4', hours: 24, units: 2, setup: { xcode: '16.1' } }],
    ],
  );
  const { order_no } = (await want(h, error.next[1].body)).json();
  t.equal(await pay(h, order_no), true);
  t.equal((await host.rentalIds()).length, 2, 'they are made where the Xcode is');
  t.equal(codeOf(await want(h, old)), 'xcode_not_available', 'all with it are taken');
  const tooMany = await want(h, { units: 9, setup: { xcode: '16.2' } });
  t.match(tooMany.json().error.next[1].body, { units: 4, setup: { xcode: '16.2' } }, 'the Xcode is kept');
  t.same(await without.rentalIds(), []);
});

t.test('an image decides what virtual machines can have', async (t) => {
  const h = await startHarness(t);
  const image = 'ghcr.io/cirruslabs/macos:26';
  const digest = digestOf('a');
  const host = await addHost(h, 2, { driver: 'tart' });
  await putM4(h, { image, imageDigest: digest });
  t.equal((await want(h, { ...old, units: 1 }, '/quote')).statusCode, 200, 'the image is unknown');
  await host.images({ image, digest, offers: offers({ xcodes: ['16.2'] }) });
  t.equal(codeOf(await want(h, old)), 'xcode_not_available');
  t.equal((await want(h)).statusCode, 201);
});

t.test('an Xcode that was removed before anybody paid: nothing is charged', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const cookie = await h.signIn('owner');
  const { order_no } = await order(h, old);
  const payIt = () =>
    h.callConsole('POST', `/v1/organizations/${h.org.orgId}/orders/${order_no}/pay`, {
      key: null,
      headers: { cookie },
      body: { consents: { terms: true, withdrawal: true } },
    });
  await host.install('16.2');
  const refused = await payIt();
  t.same([refused.statusCode, refused.json().error.code], [400, 'xcode_not_available']);
  t.same(await h.store.all('SELECT * FROM ledger'), []);
  t.equal(await status(h, order_no), 'awaiting_payment');
  await host.install('16.2', '16.1');
  t.equal((await payIt()).statusCode, 200, 'it is there again');
  t.match(await macs(h), [{ xcode: '16.1' }]);
});

t.test('a paid order whose Xcode has moved to another host is made there', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const { order_no } = await order(h, old);
  await one.install('16.2');
  const two = await addHost(h, 1);
  t.equal(await pay(h, order_no), true);
  t.same([(await one.rentalIds()).length, (await two.rentalIds()).length], [0, 1]);
});

t.test('a reservation begins on a host that has its Xcode', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const { order_no } = await order(h, { ...old, start: iso(START + DAY) });
  await pay(h, order_no);
  await one.install('16.2');
  const two = await addHost(h, 1);
  await h.pass(DAY);
  t.same([(await one.rentalIds()).length, (await two.rentalIds()).length], [0, 1]);
});
