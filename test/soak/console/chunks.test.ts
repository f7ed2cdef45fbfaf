// Parts of the console that cannot be loaded: without a connection, and after an upgrade of the service.
import type { BrowserContext } from 'playwright-core';
import t from 'tap';
import { type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { PASSWORD } from '../../harness/harness.js';

const SHOTS = process.env.CIDERMILL_SCREENSHOTS;

const MEMBERS = /\/console\/assets\/members-[^/]*\.js$/;
const isMembers = ({ pathname }: URL) => MEMBERS.test(pathname);

/** Resolves when the page has loaded the pages of its navigation. */
const prefetched = ({ page }: OpenedConsole, name: string) =>
  page.waitForResponse((response) => new RegExp(`/assets/${name}-`).test(response.url()));

const navigation = ({ page }: OpenedConsole, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** The service has other files now: it answers 404 to the names that this page knows. */
async function upgrade(context: BrowserContext, names: RegExp) {
  await context.route(names, (route) => {
    const { origin } = new URL(route.request().url());
    return route.continue({ url: `${origin}/console/assets/gone-12345678.js` });
  });
}

t.test('without a connection the shell stays, and pages of the navigation open', async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const { page, context } = c;
  await context.route(isMembers, (route) => route.abort());
  const last = prefetched(c, 'audit');
  await c.open('/');
  await last;
  await context.setOffline(true);
  await navigation(c, 'Secrets').click();
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();

  await navigation(c, 'Members').click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  t.equal(await navigation(c, 'Builds').count(), 1, 'the navigation is there');
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/chunk-unloaded.png` });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('[aria-busy]').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByText('The service cannot be reached.').first().waitFor();

  // Back again: the page loads by itself.
  await context.unroute(isMembers);
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  t.same(c.complaints, []);
});

t.test('pages without a live stream load dialogs and payments ahead, too', async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const body = { email: 'ada@example.com', password: PASSWORD };
  await c.h.callConsole('POST', '/v1/session', { key: null, body });
  const last = ['dialog-parts', 'pay'].map((name) => prefetched(c, name));
  await c.open('//settings');
  await Promise.all(last);
  await c.context.setOffline(true);
  await c.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await c.page.getByRole('dialog', { name: 'Sign out everywhere else' }).waitFor();
  t.same(c.complaints, []);
});

t.test('a part that the service does not have for once is asked for again', async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const { page, context } = c;
  await context.route(isMembers, (route) => route.abort());
  await c.open('/');
  await navigation(c, 'Members').click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await context.unroute(isMembers);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
});

t.test('an upgrade of the service is said, and loads when the person wants it', async (t) => {
  const c = await openConsole(t, { width: 1_280, dark: true });
  const { page, context } = c;
  await upgrade(context, MEMBERS);
  await c.open('/');
  // The first file, by which the page asks for its version; it is loaded once, at the start.
  const entry = /\/console\/assets\/index-[^/]*\.js$/;
  await upgrade(context, entry);
  await navigation(c, 'Members').click();
  await page.getByRole('heading', { name: 'There is a new version of the console' }).waitFor();
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/chunk-new-version.png` });
  await context.unroute(MEMBERS);
  await context.unroute(entry);
  await page.getByRole('main').getByRole('button', { name: 'Load the new version' }).click();
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
});

t.test('what was typed stays until the person lets it go', async (t) => {
  const c = await openConsole(t, { width: 390 });
  const { page, context } = c;
  await context.addCookies([{ name: 'cidermill_language', value: 'ko', url: c.h.siteUrl }]);
  await c.open('/builds');
  await page.locator('[data-live=open]').waitFor();
  const text = page.getByRole('searchbox');
  await text.fill('typed');
  const entry = /\/console\/assets\/index-[^/]*\.js$/;
  await upgrade(context, entry);
  // The stream comes back, as after an upgrade.
  await context.setOffline(true);
  await page.locator('[data-live=lost]').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: '새 버전 불러오기' }).click();
  const dialog = page.getByRole('dialog', { name: '새 버전 불러오기' });
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/chunk-typed-ko.png` });
  await dialog.getByRole('button', { name: '취소' }).click();
  t.equal(await text.inputValue(), 'typed');
  await context.unroute(entry);
  await page.getByRole('button', { name: '새 버전 불러오기' }).click();
  const loaded = page.waitForEvent('load');
  await dialog.getByRole('button', { name: '불러오기', exact: true }).click();
  await loaded;
  await page.locator('[data-live=open]').waitFor();
  t.equal(await page.getByRole('button', { name: '새 버전 불러오기' }).count(), 0);
});

t.test('a page without a live stream gets its parts again, too', async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const { page, context } = c;
  // A person with one session has no other session to end.
  const body = { email: 'ada@example.com', password: PASSWORD };
  await c.h.callConsole('POST', '/v1/session', { key: null, body });
  const dialogs = /\/console\/assets\/dialog-parts-[^/]*\.js$/;
  await context.route(dialogs, (route) => route.abort());
  await c.open('//settings');
  const ask = () => page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await ask();
  await page.getByText('The service cannot be reached.').first().waitFor();
  await context.unroute(dialogs);
  await ask();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');

  // The page of an invitation is one that nobody prefetches.
  await context.setOffline(true);
  await page.evaluate("history.pushState(null, '', '/invite')");
  await page.evaluate("void dispatchEvent(new PopStateEvent('popstate'))");
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor({ state: 'detached' });
});
