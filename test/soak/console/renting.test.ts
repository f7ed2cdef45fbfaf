// Renting: the catalog with its quote, the order, the waitlist; the list of orders, and one order.
import t, { type Test } from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { type ConsoleOptions, type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import type { Harness } from '../../harness/harness.js';
import { addHost, HOUR, iso, order, pay, putM4 } from '../../harness/renting.js';

async function scene(t: Test, slots: number, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  const c = await openConsole(t, options);
  if (slots > 0) await addHost(c.h, slots);
  return c;
}

const ordersOf = async (h: Harness) => (await h.call('GET', '/orders')).json().orders;

t.test('a person chooses, sees what it costs, and orders', async (t) => {
  const c = await scene(t, 3);
  const { page, h } = c;
  await c.open('/rent');
  await page.getByText('₩10,000 for 24 hours').waitFor();
  await page.getByText('3 available now').waitFor();
  await checkPage(t, c, 'rent');
  await page.getByRole('textbox', { name: 'Macs' }).fill('2');
  await page.getByLabel('Days').fill('7');
  await page.keyboard.press('Tab');
  await page.getByText('2 Macs × 7 days × ₩10,000').waitFor();
  t.match(await page.locator('form').innerText(), /Total\s+₩140,000/);
  t.equal(new URL(page.url()).searchParams.get('days'), '7', 'the address keeps what was chosen');
  await page.getByRole('radio', { name: 'Later' }).click();
  await page.getByLabel('Date and time').fill('2020-01-01T10:00');
  await page.getByRole('button', { name: 'Order and go to payment' }).click();
  await page.getByText('Must be in the future.').waitFor();
  t.equal((await ordersOf(h)).length, 0, 'nothing was sent');
  await page.getByRole('radio', { name: 'Now' }).click();
  await page.getByRole('combobox', { name: 'Xcode at the start' }).click();
  await page.getByRole('option', { name: '16.1' }).click();
  await page.getByRole('button', { name: 'Order and go to payment' }).click();
  await page.getByRole('heading', { name: 'Rent 2 Macs' }).waitFor();
  const [placed] = await ordersOf(h);
  t.match(placed, { units: 2, hours: 168, start: 'now', setup: { xcode: '16.1' }, amount_won: 140_000 });
  t.match(page.url(), `/pay/${placed.order_no}`);
});

t.test('too few Macs: what holds them, what can be ordered, the waitlist', async (t) => {
  const c = await scene(t, 1);
  const { page, h } = c;
  const { order_no } = await order(h);
  await c.open('/rent');
  await page.getByText('None available now').waitFor();
  const button = page.getByRole('button', { name: /^(Order and go to payment|주문하고 결제하기)$/ });
  await page.locator('button[aria-description="None available now"]').waitFor();
  t.equal(await button.getAttribute('aria-disabled'), 'true', 'nothing is free: there is nothing to order');
  await page.getByText('Your unpaid orders hold Macs').waitFor();
  await page.getByRole('link', { name: order_no }).waitFor();
  await page.getByRole('button', { name: 'Join the waitlist for 1 Mac' }).first().click();
  await page.getByText('On the waitlist for 1 Mac, position 1').waitFor();
  await page.getByText('A notice in this console says when the Macs can be ordered.', { exact: false }).waitFor();
  const listed = () => page.getByRole('link', { name: order_no }).waitFor();
  await checkPage(t, c, 'rent-no-room', { prepare: listed });
  await page.getByRole('button', { name: 'Leave the waitlist' }).click();
  await page.getByText('On the waitlist').waitFor({ state: 'hidden' });
  t.equal((await h.call('GET', '/waitlist')).json().entries[0].status, 'cancelled');
});

t.test('a developer looks; a service without tiers; Macs without a price', async (t) => {
  const c = await scene(t, 0, { role: 'developer' });
  const { page } = c;
  await c.open('/rent');
  await page.getByText('There are no tiers yet').waitFor();
  await checkPage(t, c, 'rent-empty');
  await putM4(c.h, { priceWon: 0 });
  await c.open('/rent');
  const button = page.getByRole('button', { name: 'Order', exact: true });
  await button.waitFor();
  t.equal(await button.getAttribute('aria-disabled'), 'true');
  t.notMatch(await page.locator('main').innerText(), /₩/);
});

t.test('orders: empty, listed, filtered, one of them', async (t) => {
  const c = await scene(t, 4);
  const { page, h } = c;
  await c.open('/orders');
  await page.getByText('No orders yet').waitFor();
  await checkPage(t, c, 'orders-empty');
  const paid = await order(h, { units: 2, hours: 48 });
  await pay(h, paid.order_no);
  const open = await order(h);
  await c.open('/orders');
  await page.getByRole('link', { name: paid.order_no }).waitFor();
  await checkPage(t, c, 'orders');
  await page.getByRole('combobox', { name: /Status/ }).click();
  await page.getByRole('option', { name: 'awaiting payment' }).click();
  await page.getByRole('link', { name: paid.order_no }).waitFor({ state: 'hidden' });
  t.match(page.url(), 'status=awaiting_payment');
  await page.getByRole('link', { name: open.order_no }).click();
  await page.getByRole('heading', { name: 'Rent 1 Mac' }).waitFor();
  await page.getByText('The Macs are held for this order for another').waitFor();
  await checkPage(t, c, 'order-open');
  await c.open(`/orders/${paid.order_no}`);
  await page.getByText('2 Macs being prepared').waitFor();
  await c.open('/orders/RT-NONE');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

t.test('an order that begins later, one that has ended, and one that was refunded', async (t) => {
  // The session outlasts the rental.
  const c = await openConsole(t, { harness: { limits: { session_idle_ms: 48 * HOUR } } });
  const { page, h } = c;
  const host = await addHost(h, 2);
  const badge = (text: string) => page.locator('main header').getByText(text, { exact: true }).waitFor();
  const made = async (body = {}) => {
    const { order_no } = await order(h, body);
    await pay(h, order_no);
    return order_no;
  };
  const allReady = async () => {
    for (const rental of await host.rentalIds()) await host.mac(rental, 'ready');
  };
  const later = await made({ start: iso(h.clock.now() + HOUR) });
  await c.open(`/orders/${later}`);
  await badge('reserved');
  t.match(await page.locator('[aria-current=step]').innerText(), /^Begins on /);
  await checkPage(t, c, 'order-reserved');
  await h.pass(HOUR);
  await badge('being prepared');
  await allReady();
  await badge('ready');
  await h.pass(24 * HOUR);
  await badge('ended');
  await page.getByText('The rental has ended').waitFor();
  t.notMatch(await page.locator('main').innerText(), /Builds can start|Ready to build/);
  await checkPage(t, c, 'order-ended');

  const refunded = await made();
  await allReady();
  await h.parts.payments.orderRefunds.refund(refunded);
  await c.open(`/orders/${refunded}`);
  await badge('refunded');
  await page.getByText('The order was refunded.').waitFor();
  await checkPage(t, c, 'order-refunded');
  for (const path of ['/orders', '/billing?tab=orders']) {
    await c.open(path);
    for (const [no, status] of [
      [later, 'ended'],
      [refunded, 'refunded'],
    ] as const) {
      await page.getByRole('row', { name: no }).getByText(status, { exact: true }).waitFor();
    }
  }
});
