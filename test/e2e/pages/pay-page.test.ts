// The page at a pay_url: a real browser against the real service.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type OpenedPage, openPage, type PageOptions } from '../../harness/console/browser.js';
import { startListening } from '../../harness/console/listening.js';
import { type Harness, type HarnessOptions, PASSWORD } from '../../harness/harness.js';
import { addHost, order, type RentingHost } from '../../harness/renting.js';
import { startFakePortone } from '../../payments/fake-portone.js';
import { portoneSettings } from '../../payments/rig.js';

const MINUTE = 60_000;

interface Scene extends Harness {
  readonly host: RentingHost;
  open(options?: PageOptions): Promise<OpenedPage>;
  /** Opens the address as a person who is signed in through the API. */
  openAs(cookie: string, url: string, options?: PageOptions): Promise<OpenedPage>;
}

async function start(t: Test, options: HarnessOptions = {}): Promise<Scene> {
  const h = await startListening(t, options);
  const host = await addHost(h, 4);
  return {
    ...h,
    host,
    open: (pageOptions) => openPage(t, pageOptions),
    async openAs(cookie, url, pageOptions) {
      const opened = await openPage(t, pageOptions);
      const [name = '', value = ''] = cookie.split('=');
      await opened.context.addCookies([{ name, value, url: h.siteUrl }]);
      await opened.page.goto(url);
      return opened;
    },
  };
}

/** Folder for screenshots of the pages; unset: none are taken. */
const pictures = process.env.CIDERMILL_TEST_SCREENSHOTS;
const picture = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
};

const consent = async (page: Page) => {
  for (const id of ['#terms', '#withdrawal']) await page.locator(id).check();
};
const problem = (page: Page) => page.locator('#pay-problem');
const badge = (page: Page, text: string) => page.locator('#badge').getByText(text, { exact: true }).waitFor();
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
  const { page, complaints } = await h.open();

  await page.goto(payUrl);
  await page.getByText('Sign in to see the order and pay it.').waitFor();
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await picture(page, 'pay-sign-in');
  await page.keyboard.press('Enter');
  await page.waitForURL(payUrl);

  await page.getByRole('heading', { name: 'Rent 2 Macs' }).waitFor();
  const text = await page.locator('main').innerText();
  for (const part of [
    `Apple Press, order ${orderNo}`,
    'm4',
    '48 hours (2 days) each',
    'as soon as it is ready',
    '16.2',
    '₩40,000',
    'including ₩3,636 VAT (₩36,364 before VAT)',
    'No money moves',
  ]) {
    t.ok(text.includes(part), part);
  }
  t.match(await page.locator('#time-left').textContent(), /^(30:00|29:5\d)$/);
  t.match(await page.title(), /^Rent 2 Macs/);
  await picture(page, 'pay-sandbox');

  const pay = page.getByRole('button', { name: 'Pay ₩40,000' });
  await pay.click();
  await problem(page).getByText('Please confirm both points first.').waitFor();
  t.equal(await page.evaluate('document.activeElement.id'), 'terms');
  await picture(page, 'pay-no-consent');
  await page.locator('#terms').check();
  await pay.click();
  t.equal(await page.evaluate('document.activeElement.id'), 'withdrawal');
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');

  await consent(page);
  await page.getByLabel('The card is declined').check();
  await pay.click();
  await problem(page).getByText('The payment did not go through').waitFor();
  await picture(page, 'pay-declined');
  await page.getByLabel('The payer closes the window').check();
  await pay.click();
  await problem(page).getByText('The payment was not finished').waitFor();
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');

  await page.getByLabel('The payment succeeds').check();
  await pay.click();
  await page.getByText('2 Macs being prepared').waitFor();
  await picture(page, 'pay-provisioning');
  t.equal(await page.locator('#pay-card').isVisible(), false);
  await h.workers.idle();
  t.equal(await statusOf(h, orderNo), 'provisioning');

  for (const rentalId of await h.host.rentalIds()) await h.host.mac(rentalId, 'ready');
  await badge(page, 'Ready');
  t.match(await page.getByRole('status').textContent(), 'The order is now: Ready.');
  await picture(page, 'pay-ready');
  await page.reload();
  await badge(page, 'Ready');
  t.same(complaints, []);
});

t.test('with the keyboard alone, on a narrow and dark screen', async (t) => {
  const h = await start(t);
  const cookie = await h.signIn('admin');
  const { order_no: orderNo, pay_url } = await order(h);
  const { page, complaints } = await h.openAs(cookie, pay_url, { dark: true, width: 320 });
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await picture(page, 'pay-narrow-dark');
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out');
  const focus = () => page.evaluate('document.activeElement.id');
  const reached = new Set<unknown>();
  for (let n = 0; n < 12 && !reached.has('pay'); n++) {
    await page.keyboard.press('Tab');
    const id = await focus();
    reached.add(id);
    if (id === 'terms' || id === 'withdrawal') await page.keyboard.press('Space');
  }
  t.ok(reached.has('terms') && reached.has('withdrawal') && reached.has('pay'), [...reached].join(', '));
  await picture(page, 'pay-narrow-dark-focus');
  await page.keyboard.press('Enter');
  await page.getByText('1 Mac being prepared').waitFor();
  t.not(await statusOf(h, orderNo), 'awaiting_payment');
  await picture(page, 'pay-narrow-dark-paid');
  t.same(complaints, []);
});

t.test('an order without payment is approved by the person', async (t) => {
  const h = await start(t, { payments: { provider: 'approval' } });
  const cookie = await h.signIn('owner');
  const { pay_url } = await order(h);
  const { page } = await h.openAs(cookie, pay_url);
  await page.getByText('No money moves. You approve the order for your organization').waitFor();
  await page.getByText('Awaiting approval').waitFor();
  t.equal(await page.locator('#outcomes').isVisible(), false);
  await consent(page);
  await picture(page, 'pay-approval');
  await page.getByRole('button', { name: 'Approve ₩10,000' }).click();
  await badge(page, 'Approved, being prepared');
});

t.test('an order that cannot be paid shows why', async (t) => {
  const h = await start(t);
  const cookies = {
    owner: await h.signIn('owner'),
    developer: await h.signIn('developer'),
    stranger: await h.signIn('owner', { org: h.other, email: 'stranger@example.com' }),
  };
  const { order_no: orderNo, pay_url: payUrl } = await order(h);

  const developer = (await h.openAs(cookies.developer, payUrl)).page;
  await developer.getByText('Only an owner or admin of the organization can pay.').waitFor();
  t.equal(await developer.locator('#pay-card').isVisible(), false);
  await picture(developer, 'pay-developer');

  for (const [cookie, url] of [
    [cookies.stranger, payUrl],
    [cookies.owner, `${h.siteUrl}/pay/RT-NONE`],
  ] as const) {
    const { page } = await h.openAs(cookie, url);
    await page.getByRole('heading', { name: 'No such order' }).waitFor();
    await picture(page, 'pay-not-found');
    if (cookie !== cookies.stranger) continue;
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.equal(new URL(page.url()).searchParams.get('next'), new URL(payUrl).pathname);
  }

  const two = await Promise.all([h.openAs(cookies.owner, payUrl), h.openAs(cookies.owner, payUrl)]);
  const [first, second] = two.map(({ page }) => page);
  if (!first || !second) throw new Error('two pages');
  await first.getByRole('button', { name: 'Cancel this order' }).click();
  await picture(first, 'pay-cancel-dialog');
  await first.getByRole('button', { name: 'Keep it' }).click();
  await first.getByRole('button', { name: 'Cancel this order' }).click();
  await first.getByRole('button', { name: 'Cancel the order' }).click();
  await badge(first, 'Canceled');
  await picture(first, 'pay-canceled');
  await consent(second);
  await second.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await problem(second).getByText('already paid or canceled').waitFor();
  await second.reload();
  await badge(second, 'Canceled');
  t.equal(await statusOf(h, orderNo), 'canceled');

  const late = await order(h);
  const { page } = await h.openAs(cookies.owner, late.pay_url);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await h.clock.advance(30 * MINUTE);
  await h.workers.idle();
  await consent(page);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await problem(page).getByText('has expired').waitFor();
  await page.reload();
  await badge(page, 'Expired');
  await picture(page, 'pay-expired');

  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  await page.reload();
  await page.getByRole('heading', { name: 'The organization is suspended' }).waitFor();
});

t.test('the page counts down the remaining time', async (t) => {
  const h = await start(t);
  const { pay_url } = await order(h);
  const cookie = await h.signIn('owner');
  const { page, context } = await h.open();
  await page.clock.install({ time: h.clock.now() });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: h.siteUrl }]);
  await page.goto(pay_url);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
  await page.clock.fastForward(29 * MINUTE);
  t.match(await page.locator('#time-left').textContent(), /^(1:00|0:5\d)$/);
  await h.clock.advance(30 * MINUTE);
  await h.workers.idle();
  await page.clock.runFor(2 * MINUTE);
  await badge(page, 'Expired');
});

t.test('an expired session redirects to the sign-in page and back', async (t) => {
  const h = await start(t);
  await h.signIn('owner', { email: 'ada@example.com' });
  const { pay_url: payUrl } = await order(h);
  const cookie = await h.signIn('admin', { email: 'bob@example.com' });
  const { page } = await h.openAs(cookie, payUrl);
  await consent(page);
  await h.users.setPassword('bob@example.com', PASSWORD);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await page.getByLabel('E-mail').fill('bob@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(payUrl);
  await page.getByRole('button', { name: 'Pay ₩10,000' }).waitFor();
});

t.test('with PortOne: its window opens in the page, and the service verifies the payment', async (t) => {
  const portone = await startFakePortone(t, { now: () => Date.now() });
  const h = await start(t, { payments: { provider: 'portone', portone: portoneSettings(portone) } });
  const cookie = await h.signIn('owner');
  const { order_no: orderNo, pay_url } = await order(h);
  const opened = await h.open();
  const { page, context, complaints } = opened;
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
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: h.siteUrl }]);
  await page.goto(pay_url);
  await page.getByLabel('Easy pay').check();
  await consent(page);
  await picture(page, 'pay-portone');
  const pay = page.getByRole('button', { name: 'Pay ₩10,000' });
  await pay.click();
  await problem(page).getByText('The payer has closed the window.').waitFor();
  t.match(asked[0], { paymentId: orderNo, totalAmount: 10_000, currency: 'KRW', payMethod: 'EASY_PAY' });
  t.equal(await statusOf(h, orderNo), 'awaiting_payment');

  payer = () => ({ txId: 'tx-1', paymentToken: portone.token(orderNo, { declined: 'REJECT_CARD_COMPANY' }) });
  await pay.click();
  await problem(page).getByText('The payment did not go through').waitFor();
  payer = () => ({ txId: 'tx-2', paymentToken: portone.token(orderNo) });
  await pay.click();
  await badge(page, 'Paid, being prepared');
  t.equal(portone.get(orderNo).status, 'PAID');
  t.same(complaints, []);

  const other = await order(h);
  await page.goto(other.pay_url);
  await consent(page);
  // On a phone the provider redirects the whole page and returns the result in the address.
  payer = () => ({ code: 'GONE', message: 'the page was led away' });
  await pay.click();
  await problem(page).getByText('the page was led away').waitFor();
  const token = portone.token(other.order_no);
  await page.goto(`${other.pay_url}?paymentId=${other.order_no}&txId=tx-3&paymentToken=${token}`);
  await badge(page, 'Paid, being prepared');
  t.equal(page.url(), other.pay_url, 'the address is clean again');
});
