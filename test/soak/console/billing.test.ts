// Billing: credit, top-ups, withdrawals, the ledger and its export, orders with refunds.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { addHost, order } from '../../harness/renting.js';
import { startFakePortone } from '../../payments/fake-portone.js';
import { portoneSettings } from '../../payments/rig.js';

const consents = { terms: true, withdrawal: true };

/** Sends a request as the person of the page. */
const sender =
  ({ h, cookie }: OpenedConsole) =>
  async (method: string, path: string, body?: object) => {
    const answer = await h.callConsole(method, `/v1/organizations/${h.org.orgId}${path}`, {
      key: null,
      headers: { cookie },
      ...(body ? { body } : {}),
    });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json();
  };

/** One top-up of every kind. Returns the one that is partly withdrawn. */
async function history(c: OpenedConsole): Promise<string> {
  const send = sender(c);
  const topUp = async (usd: number) => (await send('POST', '/topups', { usd })).order_id as string;
  const paid = await topUp(200);
  await send('POST', `/topups/${paid}/pay`, { consents });
  const gone = await topUp(85);
  await send('POST', `/topups/${gone}/pay`, { consents });
  await send('POST', `/topups/${gone}/withdraw`, {});
  await send('POST', `/topups/${paid}/withdraw`, { krw: 93_280 });
  await send('POST', `/topups/${await topUp(20)}/cancel`);
  await c.h.clock.advance(60_000);
  await topUp(50);
  await c.h.parts.payments.credit.adjust(c.h.org.id, -12_345_678, '=Mac time, "March"');
  return paid;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

t.test('billing of an organization', async (t) => {
  const c = await openConsole(t);
  const { page } = c;
  await c.open('/billing');
  await page.getByText('No top-ups yet').waitFor();
  await checkPage(t, c, 'billing-empty');
  const paid = await history(c);
  await c.open('/billing');
  await checkPage(t, c, 'billing');
  await c.open('/billing?tab=ledger');
  await checkPage(t, c, 'billing-ledger');

  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export CSV').click()]);
  t.equal(download.suggestedFilename(), `credit-${c.slug}.csv`);
  const csv = readFileSync(await download.path(), 'utf8').split('\r\n');
  t.equal(csv[0], '\ufeffat,kind,credit_usd,balance_usd,krw,order_id,order_no,reason,id');
  t.match(csv[1], /adjustment,-12\.345678,[\d.]+,,,,"'=Mac time, ""March""",ce_5$/);
  t.equal(csv.length, 7);

  await page.getByRole('tab', { name: 'Orders and refunds' }).click();
  await page.getByText('No orders yet').waitFor();
  await addHost(c.h, 1);
  const { order_no } = await order(c.h);
  await sender(c)('POST', `/orders/${order_no}/pay`, { consents });
  await c.h.parts.payments.orderRefunds.refund(order_no);
  await c.open('/billing?tab=orders');
  await checkPage(t, c, 'billing-orders');

  await page.getByRole('tab', { name: 'Top-ups' }).click();
  t.equal(new URL(page.url()).search, '');
  const row = page.getByRole('row').filter({ hasText: paid });
  const dialog = page.getByRole('dialog');
  const openDialog = async () => {
    await row.getByRole('button').last().click();
    await dialog.getByRole('textbox').waitFor();
  };
  await checkPage(t, c, 'billing-withdraw', { prepare: openDialog });
  await dialog.getByRole('textbox').fill('100000');
  await dialog.getByRole('textbox').blur();
  await dialog.getByText('$68.194', { exact: false }).waitFor();
  // The answer is lost on its way; pressing again withdraws nothing more.
  await page.route('**/withdraw', (route) => route.fetch().then(() => route.abort()), { times: 1 });
  await dialog.getByRole('button', { name: 'Withdraw ₩100,000' }).click();
  await dialog.getByText('The service cannot be reached.').waitFor();
  await dialog.getByRole('button', { name: 'Withdraw ₩100,000' }).click();
  await page.getByText('₩100,000 has been refunded.').waitFor();
  await row.getByText('₩193,280').waitFor();

  // Somebody spends the credit while the dialog is open, and the page does not know yet how much is left.
  const read = page.waitForResponse((response) => response.url().endsWith(`/topups/${paid}`));
  await openDialog();
  await read;
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/topups/${paid}`, (route) => mayAnswer.then(() => route.continue()));
  await c.h.parts.payments.credit.adjust(c.h.org.id, -30_000_000, 'Mac time');
  await dialog.getByRole('button', { name: /^Withdraw ₩/ }).click();
  await dialog.locator('[role=alert]:not(:empty), [aria-invalid=true]').first().waitFor();
  answer();
  await page.keyboard.press('Escape');

  const open = page.getByRole('row').filter({ hasText: 'awaiting payment' });
  await open.getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Cancel the top-up').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await open.waitFor({ state: 'detached' });
});

t.test('a developer sees whom to ask; without a rate there is a reason', async (t) => {
  const c = await openConsole(t, { role: 'developer', harness: { payments: { fixedRate: null } } });
  await c.open('/billing');
  await c.page.getByText('Billing is for owners and admins').waitFor();
  await checkPage(t, c, 'billing-developer');
  await c.h.store.run("UPDATE members SET role = 'owner'");
  await c.open('/billing');
  await c.page.getByText('No exchange rate is available.').waitFor();
  await checkPage(t, c, 'billing-no-rate');
});

const agree = async (page: Page) => {
  for (const name of ['terms', 'withdrawal']) await page.locator(`input[name=${name}]`).check();
};
const problem = (page: Page, text: string) => page.locator('form [role=alert]').getByText(text).waitFor();

t.test('a top-up is paid: refused, abandoned, declined, then paid; another one expires', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  await c.open('/billing');
  await page.getByRole('textbox', { name: 'Amount in US dollars' }).fill('85');
  await page.getByRole('textbox', { name: 'Amount in US dollars' }).blur();
  await page.getByText('₩124,644').waitFor();
  await button(page, 'Continue to payment').click();
  await page.waitForURL(/\/pay\/topup\/TU-[\w-]+$/);
  const address = page.url();
  const pay = button(page, 'Pay ₩124,644');
  await pay.waitFor();
  await checkPage(t, c, 'top-up');
  await pay.click();
  await problem(page, 'Confirm both points first.');
  t.equal(await page.evaluate('document.activeElement.name'), 'terms');
  await agree(page);
  await page.getByLabel('The payer closes the window').check();
  await pay.click();
  await problem(page, 'The payment was not finished.');
  await page.getByLabel('The card is declined').check();
  await pay.click();
  await problem(page, 'Check the card and its limit');
  await page.getByLabel('The payment succeeds').check();
  await pay.click();
  await page.getByRole('heading', { name: 'Credit added' }).waitFor();
  await checkPage(t, c, 'top-up-paid');
  await page.getByRole('link', { name: 'Go to billing' }).click();
  await page.getByText('US$85.00').first().waitFor();

  const { order_id } = await sender(c)('POST', '/topups', { usd: 20 });
  await h.pass(3_600_000);
  await page.goto(`${h.siteUrl}/pay/topup/${order_id}`);
  await page.getByText('The top-up was not paid in time.', { exact: false }).waitFor();
  await page.goto(`${h.siteUrl}/pay/topup/TU-0000-0000-0000`);
  await page.getByRole('heading', { name: 'Top-up not found' }).waitFor();
  await h.store.run("UPDATE members SET role = 'developer'");
  await page.goto(address);
  await page.getByRole('heading', { name: 'Top-up not found' }).waitFor();
});

t.test("PortOne's window: only on the page of the payment, only when somebody pays", async (t) => {
  const portone = await startFakePortone(t, { now: () => Date.now() });
  const payments = { provider: 'portone', portone: portoneSettings(portone) } as const;
  const c = await openConsole(t, { harness: { payments } });
  const { page, h, origins, complaints } = c;
  const policyOf = async (path: string) =>
    (await fetch(`${h.siteUrl}${path}`)).headers.get('content-security-policy') ?? '';
  t.match(await policyOf('/pay/topup/TU-1'), /script-src [^;]*https:\/\/cdn\.portone\.io/);
  t.notMatch(await policyOf(`/o/${c.slug}/billing`), 'portone');
  await page.route('https://cdn.portone.io/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.PortOne = { requestPayment: (request) => window.payer(request) }',
    }),
  );
  await page.exposeFunction('payer', ({ paymentId }: { paymentId: string }) => ({
    txId: 'tx-1',
    paymentToken: portone.token(paymentId),
  }));
  const { order_id } = await sender(c)('POST', '/topups', { usd: 10 });
  await c.open('/billing');
  await page.getByRole('link', { name: 'Pay' }).click();
  await page.waitForURL(`${h.siteUrl}/pay/topup/${order_id}`);
  await agree(page);
  t.same([...origins], [h.siteUrl]);
  await button(page, 'Pay ₩14,664').click();
  await page.getByRole('heading', { name: 'Credit added' }).waitFor();
  t.match(await page.getByRole('link', { name: 'Receipt' }).getAttribute('href'), order_id);
  t.equal(portone.get(order_id).status, 'PAID');

  // On a phone the provider leads the whole page away and back, with the result in the address.
  const { order_id: other } = await sender(c)('POST', '/topups', { usd: 20 });
  await sender(c)('POST', `/topups/${other}/pay`, { consents });
  const token = portone.token(other);
  await page.goto(`${h.siteUrl}/pay/topup/${other}?paymentId=${other}&txId=tx-2&paymentToken=${token}`);
  await page.getByRole('heading', { name: 'Credit added' }).waitFor();
  t.equal(page.url(), `${h.siteUrl}/pay/topup/${other}`, 'the address is clean again');
  t.same(complaints, []);
});
