// The dialog over a page that asks the person to confirm who they are, or to sign in again.
import type { Page } from 'playwright-core';
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { giveCookie, openConsole, settled } from '../../harness/console/open-console.js';
import { PASSWORD } from '../../harness/harness.js';
import { addHost, order } from '../../harness/renting.js';

const MINUTE = 60_000;
/** As a service has it. */
const asks = { harness: { limits: { session_confirm_ms: 15 * MINUTE } } };

const confirmOf = (page: Page) => page.getByRole('dialog', { name: /^(Confirm that it is you|본인 확인)$/ });
const signInOf = (page: Page) => page.getByRole('dialog', { name: /^(You are signed out|로그아웃되었습니다)$/ });

/** On the page of secrets. */
async function store(page: Page) {
  await page.getByRole('button', { name: /^(New secret|시크릿 추가)$/ }).click();
  const fields = page.getByRole('dialog');
  await fields.getByLabel(/^(Name|이름)$/).fill('TOKEN');
  await fields.getByLabel(/^(Value|값)$/).fill('hush-hush');
  await fields.locator('button[type=submit]').click();
}

t.test('an order is paid after the person has confirmed who they are', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page } = c;
  await addHost(h, 1);
  await h.clock.advance(20 * MINUTE);
  const { order_no: orderNo } = await order(h);
  await c.open(`//pay/${orderNo}`);
  for (const name of ['terms', 'withdrawal']) await page.locator(`input[name=${name}]`).check();
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  const dialog = confirmOf(page);
  await dialog.getByText('more than 15 minutes ago').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Confirm who you are').waitFor();
  t.ok(await page.locator('input[name=withdrawal]').isChecked(), 'what was chosen stays');
  await page.getByRole('button', { name: 'Pay ₩10,000' }).click();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page
    .locator('main header')
    .getByText(/^(paid|being prepared)$/)
    .waitFor();
  t.equal(await dialog.count(), 0);
});

t.test('what was typed into a dialog stays below the question', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page } = c;
  await h.clock.advance(20 * MINUTE);
  await c.open('/secrets');
  const asked = async () => {
    await store(page);
    await confirmOf(page).waitFor();
  };
  await checkPage(t, c, 'asking-confirm', { prepare: asked });
  const dialog = confirmOf(page);
  await dialog.getByLabel('Your password').fill('wrong');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('The password is wrong.').waitFor();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('rowheader', { name: 'TOKEN' }).waitFor();
  t.equal(await page.getByRole('dialog').count(), 0);
});

t.test('a session that ended in another tab asks once, and the page goes on', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page, context } = c;
  await c.open('/secrets');
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByLabel('Name').fill('TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  const other = await context.newPage();
  await other.goto(`${h.siteUrl}/settings`);
  await other.getByRole('button', { name: 'Your account' }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.bringToFront();
  // The page asks by itself when it hears of the end, which may be before the click; the click then waits for the answer.
  const stored = page.getByRole('button', { name: 'Store the secret' }).click();
  const dialog = signInOf(page);
  t.equal(await dialog.getByLabel('E-mail').inputValue(), 'ada@example.com');
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await stored;
  await page.getByRole('rowheader', { name: 'TOKEN' }).waitFor();
  t.equal(await page.getByRole('dialog').count(), 0);
});

t.test('the question for the session goes away when the person signs in in another tab', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page, context } = c;
  await c.open('/secrets');
  await h.store.run('DELETE FROM sessions', {});
  await page.getByRole('link', { name: 'Members' }).click();
  await signInOf(page).waitFor();
  const answer = await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ada@example.com', password: PASSWORD },
  });
  await giveCookie({ ...c, context }, h.siteUrl, String(answer.headers['set-cookie']).split(';', 1)[0] ?? '');
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await signInOf(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Actions for ada@example.com' }).waitFor();
});

t.test('signing in can be left for later: then only a change asks again', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page } = c;
  await c.open('/secrets');
  const ended = async () => {
    const refused = { error: { code: 'session_required', message: 'Sign in again.', request_id: 'req_1' } };
    await page.route('**/agent/secrets/TOKEN', (route) => route.fulfill({ status: 401, json: refused }));
    await store(page);
    await signInOf(page).waitFor();
    await page.unrouteAll();
  };
  await checkPage(t, c, 'asking-sign-in', { prepare: ended });
  await h.store.run('DELETE FROM sessions', {});
  await page.keyboard.press('Escape');
  await signInOf(page).waitFor({ state: 'detached' });
  const fields = page.getByRole('dialog', { name: 'New secret' });
  t.equal(await fields.getByLabel('Value').inputValue(), 'hush-hush');
  await h.call('PUT', '/secrets/OTHER', { body: { value: 'hush-hush' } });
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
  t.equal(await signInOf(page).count(), 0, 'reading does not ask');
  await fields.getByRole('button', { name: 'Store the secret' }).click();
  await signInOf(page).getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'TOKEN' }).waitFor();
});

t.test('when another person signs in, the page is loaded anew', async (t) => {
  const c = await openConsole(t, asks);
  const { h, page } = c;
  await h.signIn('admin', { email: 'grace@example.com' });
  await c.open('/secrets');
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByLabel('Name').fill('TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  await h.store.run('DELETE FROM sessions', {});
  await page.getByRole('button', { name: 'Store the secret' }).click();
  const dialog = signInOf(page);
  await dialog.getByLabel('E-mail').fill('grace@example.com');
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.evaluate('window.before = true');
  await page.keyboard.press('Enter');
  await page.waitForFunction('window.before === undefined');
  await settled(c);
  t.equal(await page.getByRole('dialog').count(), 0);
  t.equal((await h.call('GET', '/secrets')).json().secrets.length, 0, 'nothing is stored as somebody else');
});
