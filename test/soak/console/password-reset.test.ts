// A forgotten password, from the sign-in page to the link of the mail; and sessions in several browsers.
import t from 'tap';
import { textOf } from '../../access/mail-text.js';
import { startSmtpServer } from '../../access/smtp-server.js';
import { openPage } from '../../harness/console/browser.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole, settled } from '../../harness/console/open-console.js';
import { PASSWORD } from '../../harness/harness.js';
import { until } from '../../harness/until.js';

const NEW = 'a much better password';

t.test('a new password is chosen with the link of a mail', async (t) => {
  const smtp = await startSmtpServer(t);
  const c = await openConsole(t, { role: null, harness: { smtpUrl: smtp.url } });
  const { h, page } = c;
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  await c.open('//sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await checkPage(t, c, 'reset-request');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('the link is on its way').waitFor();
  await until(() => smtp.mails.length === 1, 'the mail has arrived');
  const link = /http\S+\/reset-password#[\w-]{43}/.exec(textOf(smtp.mails[0]?.data))?.[0] ?? '';
  // A link in a mail opens a tab.
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('For ada@example.com.').waitFor();
  t.notMatch(page.url(), '#', 'the token is not in the address any more');
  const opened = async () => {
    await page.goto('about:blank');
    await page.goto(link);
    await settled(c);
  };
  await checkPage(t, c, 'reset-choose', { prepare: opened });
  await opened();
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('at least 12 characters').first().waitFor();
  await page.getByLabel('New password').fill(NEW);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  const before = await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } });
  t.equal(before.statusCode, 401, 'the other session has ended');
  await opened();
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
});

t.test('without a mail server the page says whom to ask', async (t) => {
  const c = await openConsole(t, { role: null });
  await c.open('//reset-password');
  await c.page.getByText('cidermill admin user reset-password').waitFor();
  await checkPage(t, c, 'reset-no-mail');
});

t.test('a person sees two browsers, and signs out everywhere else', async (t) => {
  const c = await openConsole(t);
  const { h, page } = c;
  const other = await openPage(t);
  await other.page.goto(`${h.siteUrl}/sign-in`);
  await other.page.getByLabel('E-mail').fill('ada@example.com');
  await other.page.getByLabel('Password').fill(PASSWORD);
  await other.page.keyboard.press('Enter');
  await other.page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  await settled(other);
  await c.open('//settings');
  await page.getByText('Chrome · Linux', { exact: true }).first().waitFor();
  await checkPage(t, c, 'settings-two-browsers');
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText('Chrome · Linux', { exact: true }).waitFor({ state: 'detached' });
  // What the other page reads next is refused.
  await other.page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
});
