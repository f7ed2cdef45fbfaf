// The page at a pay_url: a real browser against the real service.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openPage, type PageOptions } from '../../harness/console/browser.js';
import { checkPage } from '../../harness/console/check-page.js';
import { startListening } from '../../harness/console/listening.js';
import { giveCookie } from '../../harness/console/open-console.js';
import { type Harness, type HarnessOptions, PASSWORD } from '../../harness/harness.js';
import { addHost, order, type RentingHost } from '../../harness/renting.js';
import { startFakePortone } from '../../payments/fake-portone.js';
import { portoneSettings } from '../../payments/rig.js';

const MINUTE = 60_000;

interface Scene extends Harness {
  readonly host: RentingHost;
  open(cookie: string | null, url?: string, look?: PageOptions): Promise<Opened>;
}
type Opened = Awaited<ReturnType<typeof openPage>> & { readonly h: Harness };

async function start(t: Test, options: HarnessOptions = {}): Promise<Scene> {
  const h = await startListening(t, options);
  const host = await addHost(h, 4);
  return {
    ...h,
    host,
    async open(cookie, url, look) {
      const opened = await openPage(t, look);
      if (cookie !== null) await giveCookie(opened, h.siteUrl, cookie);
      if (url !== undefined) await opened.page.goto(url);
      return { ...opened, h };
    },
  };
}

const boxes = ['terms', 'withdrawal'] as const;
const agree = async (page: Page) => {
  for (const name of boxes) await page.locator(`input[name=${name}]`).check();
};
const problem = (page: Page, text: string) => page.locator('form [role=alert]').getByText(text).waitFor();
const badge = (page: Page, text: string) => page.locator('main header').getByText(text, { exact: true }).waitFor();
const form = (page: Page) => page.locator('form').isVisible();
const focused = (page: Page) => page.evaluate('document.activeElement.name');
const statusOf = async (h: Harness, orderNo: string) =>
  (await h.call('GET', `/orders/${orderNo}`)).json().status as string;

t.test('a person signs in, agrees, pays in the sandbox, and sees the Macs become ready', async (t) => {
  const h = await start(t);
  await h.signIn('owner', { email: 'ada@example.com' });
  const { order_no: orderNo, pay_url: payUrl } = await order(h, {
    units: 2,
    hours: 48,
    setup: { xcode: '16.2' },
  });
  t.equal(payUrl, `${h.siteUrl}/pay/${orderNo}`);
  const opened = await h.open(null, payUrl);
  const { page } = opened;
  await page.getByText('Sign in to see the order and pay it.').waitFor();
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(payUrl);

  await page.getByRole('heading', { name: 'Rent 2 Macs' }).waitFor();
  await page.getByRole('button', { name: 'Pay ₩40,000' }).waitFor();
  await page.getByText('Mac mini M4').waitFor();
  const text = await page.locator('main').innerText();
  for (const part of [
    `Apple Press, order ${orderNo}`,
    'Mac mini M4',
    '48 hours (2 days) each',
    'as soon as it is ready',
    '16.2',
    '₩40,000',
    'including ₩3,636 VAT (₩36,364 before VAT)',
    'No money moves',
  ]) {
    t.ok(text.includes(part), part);
  }
  t.match(await page.getByRole('timer').textContent(), /for another (30:00|29:5\d)\.$/);
  t.match(await page.title(), /^Rent 2 Macs/);
  await checkPage(t, opened, 'pay');

  const pay = page.getByRole('button', { name: 'Pay ₩40,000' });
  t.same(await Promise.all(boxes.map((name) => page.locator(`input[name=${name}]`).isChecked())), [false, false]);
  await pay.click();
  await problem(page, 'Confirm both points first.');
  t.equal(await focused(page), 'terms');
  await page.locator('input[name=terms]').check();
  await pay.click();
  t.equal(await focused(page), 'withdrawal');
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');

  await agree(page);
  await page.getByRole('radiogroup', { name: 'What should happen? (sandbox)' }).waitFor();
  await page.getByLabel('The card is declined').check();
  await pay.click();
  await problem(page, 'Check the card and its limit');
  const other = await page.context().newPage();
  await other.goto(`${h.siteUrl}/`);
  await other.waitForURL('**/o/*');
  await other.goto(`${other.url()}/orders/${orderNo}`);
  await other.getByText('Check the card and its limit').waitFor();
  await other.close();
  await page.getByLabel('The payer closes the window').check();
  await pay.click();
  await problem(page, 'The payment was not finished');
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');
  t.ok(await page.locator('input[name=terms]').isChecked(), 'what was ticked stays');

  await page.getByLabel('The payment succeeds').check();
  await pay.click();
  await page.getByText('2 Macs being prepared').waitFor();
  t.equal(await form(page), false);
  await h.workers.idle();
  t.equal(await statusOf(h, orderNo), 'provisioning');
  await checkPage(t, opened, 'pay-provisioning');

  for (const rentalId of await h.host.rentalIds()) await h.host.mac(rentalId, 'ready');
  await badge(page, 'ready');
  await page.getByText('2 Macs prepared').waitFor();
  await page.getByRole('status').getByText('The order is now: ready.').waitFor({ state: 'attached' });
  await page.reload();
  await badge(page, 'ready');
});

t.test('with the keyboard alone, on a narrow and dark screen', async (t) => {
  const h = await start(t);
  const { order_no: orderNo, pay_url } = await order(h);
  const { page, complaints } = await h.open(await h.signIn('admin'), pay_url, { dark: true, width: 320 });
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out');
  const reached = new Set<unknown>();
  for (let n = 0; n < 25 && !reached.has('submit'); n++) {
    await page.keyboard.press('Tab');
    const [name, type] = (await page.evaluate('[document.activeElement.name, document.activeElement.type]')) as [
      string,
      string,
    ];
    reached.add(type === 'submit' ? type : name);
    if (name === 'terms' || name === 'withdrawal') await page.keyboard.press('Space');
  }
  t.ok(boxes.every((name) => reached.has(name)) && reached.has('submit'), [...reached].join(', '));
  await page.keyboard.press('Enter');
  await page.getByText('1 Mac being prepared').waitFor();
  t.not(await statusOf(h, orderNo), 'awaiting_payment');
  t.same(complaints, []);
});

t.test('an order without payment is approved by the person', async (t) => {
  const h = await start(t, { payments: { provider: 'approval' } });
  const { pay_url } = await order(h);
  const { page } = await h.open(await h.signIn('owner'), pay_url);
  await page.getByText('No money moves. You approve the order for your organization').waitFor();
  await badge(page, 'awaiting approval');
  t.equal(await page.getByText('The card is declined').count(), 0);
  await agree(page);
  await page.getByRole('button', { name: 'Approve ₩10,000' }).click();
  await badge(page, 'being prepared');
});

t.test('an order that cannot be paid shows why', async (t) => {
  const h = await start(t);
  const cookies = {
    owner: await h.signIn('owner'),
    developer: await h.signIn('developer'),
    stranger: await h.signIn('owner', { org: h.other, email: 'stranger@example.com' }),
  };
  const { order_no: orderNo, pay_url: payUrl } = await order(h);

  const developer = (await h.open(cookies.developer, payUrl)).page;
  await developer.getByText('Only an owner or admin of the organization can pay.').waitFor();
  t.equal(await form(developer), false);

  for (const [cookie, url] of [
    [cookies.owner, `${h.siteUrl}/pay/RT-NONE`],
    [cookies.stranger, payUrl],
  ] as const) {
    const opened = await h.open(cookie, url);
    await opened.page.getByRole('heading', { name: 'Order not found' }).waitFor();
    if (cookie === cookies.owner) continue;
    await checkPage(t, opened, 'pay-not-found');
    await opened.page.getByRole('button', { name: 'Sign in with another account' }).click();
    await opened.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.equal(new URL(opened.page.url()).searchParams.get('next'), new URL(payUrl).pathname);
  }

  const [{ page: first }, { page: second }] = await Promise.all([
    h.open(cookies.owner, payUrl),
    h.open(cookies.owner, payUrl),
  ]);
  await second.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  // It does not learn of what happens in the first one.
  await second.route(`**/orders/${orderNo}`, (route) => route.abort());
  await first.getByRole('button', { name: 'Cancel this order' }).click();
  await first.getByRole('button', { name: 'Keep the order' }).click();
  await first.getByRole('button', { name: 'Cancel this order' }).click();
  await first.getByText('The Macs that are held for this order become free for others.').waitFor();
  await first.getByRole('button', { name: 'Cancel the order' }).click();
  await badge(first, 'canceled');
  await agree(second);
  await second.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await problem(second, 'has been paid or canceled');
  await second.unroute(`**/orders/${orderNo}`);
  await second.reload();
  await badge(second, 'canceled');
  t.equal(await statusOf(h, orderNo), 'canceled');

  const late = await order(h);
  const { page } = await h.open(cookies.owner, late.pay_url);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await h.pass(30 * MINUTE);
  await agree(page);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await problem(page, 'has expired');
  await page.reload();
  await badge(page, 'expired');
  await page.getByText('Nothing was charged.').waitFor();

  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  await page.reload();
  await page.getByRole('heading', { name: 'The organization is suspended' }).waitFor();
});

t.test('the page counts down the remaining time', async (t) => {
  const h = await start(t);
  const { pay_url } = await order(h);
  const opened = await h.open(await h.signIn('owner'));
  const { page } = opened;
  await page.clock.install({ time: h.clock.now() });
  await page.goto(pay_url);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await page.clock.fastForward(29 * MINUTE);
  t.match(await page.getByRole('timer').textContent(), /another (1:00|0:5\d)\.$/);
  await h.pass(30 * MINUTE);
  await page.clock.runFor(2 * MINUTE);
  await badge(page, 'expired');
});

t.test('a session that has ended asks over the page, and the order is paid', async (t) => {
  const h = await start(t);
  const { pay_url: payUrl } = await order(h);
  const cookie = await h.signIn('admin', { email: 'bob@example.com' });
  const { page } = await h.open(cookie, payUrl);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await agree(page);
  await h.users.setPassword('bob@example.com', PASSWORD);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  const dialog = page.getByRole('dialog', { name: 'You are signed out' });
  t.equal(await dialog.getByLabel('E-mail').inputValue(), 'bob@example.com');
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page
    .locator('main header')
    .getByText(/^(paid|being prepared)$/)
    .waitFor();
});

t.test('with PortOne: its window opens in the page, and the service verifies the payment', async (t) => {
  const portone = await startFakePortone(t, { now: () => Date.now() });
  const h = await start(t, { payments: { provider: 'portone', portone: portoneSettings(portone) } });
  const { order_no: orderNo, pay_url } = await order(h);
  const { page, complaints, origins } = await h.open(await h.signIn('owner'));
  // Replaces the provider's script, and acts as the payer in its window.
  await page.route('https://cdn.portone.io/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.PortOne = { requestPayment: (request) => window.payer(request) }',
    }),
  );
  const asked: unknown[] = [];
  let payer: () => Record<string, string> = () => ({
    code: 'FAILURE_TYPE_PG',
    message: 'The payer has closed the window.',
  });
  await page.exposeFunction('payer', (request: unknown) => {
    asked.push(request);
    return payer();
  });
  await page.goto(pay_url);
  await page.getByLabel('Easy pay').check();
  await agree(page);
  t.same([...origins], [h.siteUrl], 'the provider learns of the visit only when the person pays');
  const pay = page.getByRole('button', { name: 'Pay ₩10,000' });
  await pay.click();
  await problem(page, 'The payer has closed the window.');
  t.match(asked[0], { paymentId: orderNo, totalAmount: 10_000, currency: 'KRW', payMethod: 'EASY_PAY' });
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');

  payer = () => ({
    txId: 'tx-1',
    paymentToken: portone.token(orderNo, { declined: 'REJECT_CARD_COMPANY' }),
  });
  await pay.click();
  await problem(page, '(REJECT_CARD_COMPANY)');
  payer = () => ({ txId: 'tx-2', paymentToken: portone.token(orderNo) });
  await pay.click();
  await badge(page, 'being prepared');
  t.equal(portone.get(orderNo).status, 'PAID');
  t.same(complaints, []);

  const other = await order(h);
  await page.goto(other.pay_url);
  await agree(page);
  // On a phone the provider leads the whole page away and back, with the result in the address.
  payer = () => ({ code: 'GONE', message: 'the page was led away' });
  await pay.click();
  await problem(page, 'the page was led away');
  const token = portone.token(other.order_no);
  await page.goto(`${other.pay_url}?paymentId=${other.order_no}&txId=tx-3&paymentToken=${token}`);
  await badge(page, 'being prepared');
  t.equal(page.url(), other.pay_url, 'the address is clean again');
});

t.test('credit pays an order, and a refund returns it', async (t) => {
  const h = await start(t);
  const cookie = await h.signIn('admin');
  const { credit } = h.parts.payments;
  await credit.adjust(h.org.id, 6_819_421, 'a gift');
  const { order_no: orderNo, pay_url: payUrl } = await order(h);
  const opened = await h.open(cookie, payUrl);
  const { page } = opened;
  await page.getByText('With credit the order costs US$6.819422; US$6.819421 are available.').waitFor();
  await checkPage(t, opened, 'pay-without-enough-credit');
  t.match(await page.getByRole('link', { name: 'Top up' }).getAttribute('href'), /\/billing$/);

  await credit.adjust(h.org.id, 50_000_000, 'another gift');
  await page.reload();
  const pay = page.getByRole('button', { name: 'Pay US$6.819422 with credit' });
  await pay.click();
  await problem(page, 'Confirm both points first.');
  t.equal(await focused(page), 'terms');
  await checkPage(t, opened, 'pay-with-credit');
  await agree(page);
  await pay.click();
  await page.getByText('Credit of US$6.819422, at ₩1,466.40 per dollar').waitFor();
  t.equal(await form(page), false);
  const [mac] = (await h.call('GET', '/rentals')).json().rentals;
  await h.host.mac(mac.rental_id, 'ready');
  await badge(page, 'ready');

  await h.parts.payments.orderRefunds.refund(orderNo);
  const { slug } = (await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } })).json()
    .organizations[0];
  await page.goto(`${h.siteUrl}/o/${slug}/orders/${orderNo}`);
  await page.getByText('The credit was returned.').waitFor();
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.getByRole('heading', { name: `Receipt ${orderNo}` }).waitFor();
  const receipt = await page.locator('main').innerText();
  for (const part of ['Credit of US$6.819422', 'Rent 1 Mac, 1 day', '₩10,000', '-₩10,000', 'receipts of the top-ups']) {
    t.ok(receipt.includes(part), part);
  }
  await checkPage(t, opened, 'receipt-of-credit');
  await page.goto(`${h.siteUrl}/o/${slug}/billing?tab=ledger`);
  await page.getByText('Refund of an order').waitFor();
  await page.getByRole('link', { name: orderNo }).first().waitFor();
  t.equal((await credit.balance(h.org.id)).balance, 56_819_421);
  await checkPage(t, opened, 'ledger-with-orders');
});

t.test(
  'a receipt of the sandbox says that it is simulated, has the VAT, and prints without the frame',

  async (t) => {
    const h = await start(t, { payments: { seller: 'Apple Press\n123-45-67890' } });
    const cookie = await h.signIn('admin');
    const { order_no: orderNo } = await order(h);
    const path = `/v1/organizations/${h.org.orgId}/orders/${orderNo}/pay`;
    const body = { consents: { terms: true, withdrawal: true } };
    t.equal((await h.callConsole('POST', path, { key: null, headers: { cookie }, body })).statusCode, 200);
    const { slug } = (await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } })).json()
      .organizations[0];
    const opened = await h.open(cookie, `${h.siteUrl}/o/${slug}/orders/${orderNo}/receipt`);
    const { page } = opened;
    await page.getByRole('heading', { name: `Receipt ${orderNo}` }).waitFor();
    const text = await page.locator('main').innerText();
    for (const part of ['Simulated.', 'Apple Press\n123-45-67890', '₩9,091', '₩909', '₩10,000', 'Card, Sandbox']) {
      t.ok(text.includes(part), part);
    }
    await checkPage(t, opened, 'receipt');
    await page.emulateMedia({ media: 'print' });
    t.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
    t.equal(await page.locator('aside').isVisible(), false);
    t.equal(await page.getByText('Simulated.').isVisible(), true);
    await page.emulateMedia({ media: 'screen' });
    const unpaid = await order(h);
    await page.goto(`${h.siteUrl}/o/${slug}/orders/${unpaid.order_no}/receipt`);
    await page.getByText('Nothing has been paid for this order.').waitFor();
  },
);
