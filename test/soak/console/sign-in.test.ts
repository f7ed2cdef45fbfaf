// Sign-in, first owner, and what a person without an organization sees.
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { PASSWORD } from '../../harness/harness.js';

t.test('sign-in', async (t) => {
  const c = await openConsole(t, { role: null });
  await c.h.signIn('developer', { email: 'ada@example.com' });
  const { page } = c;
  await c.open('/macs?workspace=ws_1');
  t.equal(
    page.url(),
    `${c.h.siteUrl}/sign-in?next=%2Fo%2Fapple-press%2Fmacs%3Fworkspace%3Dws_1`,
    'the page needs a session',
  );
  await checkPage(t, c, 'sign-in');
  const failed = async () => {
    await page.getByRole('button', { name: /^(Sign in|로그인)$/ }).click();
    await page
      .getByText(/^(Required\.|필수 항목입니다\.)$/)
      .first()
      .waitFor();
  };
  await checkPage(t, c, 'sign-in-failed', { prepare: failed });
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.keyboard.press('Enter');
  await page.getByText('E-mail or password is wrong.').waitFor();
  t.equal(await page.getByLabel('E-mail').inputValue(), 'ada@example.com', 'what was typed stays');
  t.equal(await page.evaluate('document.activeElement.name'), 'password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${c.h.siteUrl}/o/apple-press/macs?workspace=ws_1`);
});

t.test('theme and language can be changed before signing in, and stay', async (t) => {
  const c = await openConsole(t, { role: null });
  const { page } = c;
  await c.open('//sign-in');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '한국어' }).click();
  await page.getByRole('heading', { name: '로그인' }).waitFor();
  await page.getByRole('button', { name: '테마' }).click();
  await page.getByRole('menuitemradio', { name: '어둡게' }).click();
  await page.reload();
  await page.getByRole('heading', { name: '로그인' }).waitFor();
  t.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  const html = await (
    await fetch(`${c.h.siteUrl}/sign-in`, { headers: { 'accept-language': 'ko-KR,ko;q=0.9' } })
  ).text();
  t.match(html, '<html lang="ko" data-theme="system">', 'the first visit follows the browser');
});

t.test('first owner', async (t) => {
  const c = await openConsole(t, { role: null });
  await c.open('//first-owner');
  await checkPage(t, c, 'first-owner-no-token');
  const withToken = async () => {
    // Only the fragment changes: the page loads itself again.
    await c.page.goto(`${c.h.siteUrl}/first-owner#token`);
    const create = c.page.getByRole('button', { name: /Create the owner|소유자 만들기/ });
    await create.click();
    await c.page.locator('[aria-invalid]').first().waitFor();
  };
  await checkPage(t, c, 'first-owner', { prepare: withToken });
  const used = async () => {
    await c.page.goto(`${c.h.siteUrl}/first-owner#used`);
    const fields = { organization: 'Mill', email: 'eve@example.com', password: PASSWORD };
    for (const [name, value] of Object.entries(fields)) await c.page.locator(`[name=${name}]`).fill(value);
    await c.page.keyboard.press('Enter');
    await c.page
      .getByRole('heading', { name: /^(This link no longer works|더 이상 사용할 수 없는 링크입니다)$/ })
      .waitFor();
  };
  await checkPage(t, c, 'first-owner-used', { prepare: used });
});

t.test('a person without an organization sees what to do', async (t) => {
  const c = await openConsole(t);
  await c.h.store.run('DELETE FROM members', {});
  await c.open('//');
  await c.page.getByText('ask', { exact: false }).waitFor();
  await checkPage(t, c, 'no-organization');
});

t.test('an address that does not exist', async (t) => {
  const c = await openConsole(t);
  await c.open('/nothing-here');
  await c.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await c.page.getByRole('link', { name: 'Builds' }).waitFor();
  await checkPage(t, c, 'not-found');
  t.equal((await fetch(`${c.h.siteUrl}/o/apple-press/nothing-here`)).status, 404);
  await c.open('//o/other-mill/macs');
  await c.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  t.same(c.complaints, [], 'the browser complains of nothing');
});
