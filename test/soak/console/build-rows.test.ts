// Rows of builds: what they say, and where a click leads; the icon of a build's tab; one request for two clicks.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { type OpenedConsole, openConsole, settled } from '../../harness/console/open-console.js';
import { until } from '../../harness/until.js';
import { failedBuild, inScript, SHA, submit } from './building.js';

const about = { title: 'Round the total once, not for each item', author: 'Ada Lovelace' };

async function start(t: Test, width = 1_280) {
  const c = await openConsole(t, { role: 'developer', width });
  const host = await startBuildHost(c.h, { macs: 2 });
  const failed = await failedBuild(c.h, host);
  const id = await submit(c.h);
  await inScript(c.h, host, id);
  await host.facts({ build_id: id, commit_sha: SHA, commit_about: about });
  await c.open('/builds');
  const row = c.page.getByRole('row', { name: about.title });
  await row.waitFor();
  return { c, host, id, failed, row };
}

const boxOf = async (c: OpenedConsole, selector: string) => {
  const box = await c.page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return box;
};

t.test('a row says what was committed, and links to the code host', async (t) => {
  const { c, id, row } = await start(t);
  t.equal((await boxOf(c, 'tbody tr')).height, 44);
  const link = row.getByRole('link', { name: about.title });
  t.match(await link.getAttribute('href'), new RegExp(`/builds/${id}$`));
  const first = await row.locator('td, th').first().innerText();
  t.equal(first, 'running', 'the status stands first');
  const to = (name: string) => row.getByRole('link', { name }).getAttribute('href');
  t.equal(await to('main'), 'https://github.com/acme/shop-ios/tree/main');
  t.equal(await to('PR #128'), 'https://github.com/acme/shop-ios/pull/128');
  t.equal(await to('01234567'), `https://github.com/acme/shop-ios/commit/${SHA}`);
  t.match(await to('Ada Lovelace'), /^https:\/\/github\.com\/search\?type=commits/);
  const without = c.page.getByRole('row', { name: /^failed/ });
  await without.getByText("cannot find 'totl' in scope").waitFor();
  t.match(await without.getByRole('link').first().innerText(), /^xcodebuild test -scheme Shop/, 'its first command');
  const [title, facts, mac] = (await c.page.evaluate(`{
    const row = [...document.querySelectorAll('tr')].find((one) => one.textContent.includes('${about.title}'));
    const parts = [row.querySelector('th a'), row.querySelector('th span'), row.querySelectorAll('td')[1].querySelector('a')];
    parts.map((part) => getComputedStyle(part).color);
  }`)) as string[];
  t.equal(mac, facts, 'the Mac is as soft as the facts');
  t.not(mac, title);
});

t.test('the whole row is the link', async (t) => {
  const { c, id, row } = await start(t);
  const { page, context } = c;
  const atBuild = (url: URL) => url.pathname.endsWith(id);
  const box = await row.boundingBox();
  if (!box) throw new Error('the row is not shown');
  const empty = { x: box.x + box.width * 0.6, y: box.y + box.height / 2 };

  await page.mouse.click(empty.x, empty.y);
  await page.waitForURL(atBuild);
  await page.goBack();
  await row.getByText('acme/shop-ios').click();
  await page.waitForURL(atBuild);
  await page.goBack();
  await row.waitFor();
  for (const open of [
    () => page.mouse.click(empty.x, empty.y, { button: 'middle' }),
    () => row.getByText('acme/shop-ios').click({ button: 'middle' }),
    () => row.getByText('acme/shop-ios').click({ modifiers: ['ControlOrMeta'] }),
  ]) {
    const [tab] = await Promise.all([context.waitForEvent('page'), open()]);
    await tab.waitForURL(atBuild);
    await tab.close();
  }
  t.match(page.url(), /\/builds$/, 'the list stays');

  // Text can be selected without leaving.
  const text = await row.getByText('acme/shop-ios').boundingBox();
  if (!text) throw new Error('the name is not shown');
  await page.mouse.move(text.x + 1, text.y + text.height / 2);
  await page.mouse.down();
  await page.mouse.move(text.x + text.width - 1, text.y + text.height / 2, { steps: 4 });
  await page.mouse.up();
  t.match(await page.evaluate('getSelection().toString()'), /acme/);
  t.match(page.url(), /\/builds$/);

  await page.evaluate('getSelection().removeAllRanges()');
  await row.getByRole('link', { name: about.title }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(atBuild);
});

const titled = (page: Page, start: string) =>
  until(async () => (await page.title()).startsWith(start), `the title begins with ${start}`);

const icons = join(import.meta.dirname, '../../../../control-plane/console/design/icons');
const withoutQuotes = (svg: string) => svg.replaceAll(/["'\s]/g, '');

/** Name of the file that an address holds whole; the address itself if there is none. */
function nameOfIcon(address: string): string {
  const svg = withoutQuotes(decodeURIComponent(address.replace(/^data:image\/svg\+xml,/, '')));
  const file = readdirSync(icons).find(
    (each) => each.endsWith('.svg') && withoutQuotes(readFileSync(join(icons, each), 'utf8')) === svg,
  );
  return file?.slice(0, -'.svg'.length) ?? address;
}

t.test('title and icon of the tab say how the build goes', async (t) => {
  const { c, host, id, failed } = await start(t);
  const { page, h } = c;
  const icon = async () =>
    nameOfIcon((await page.locator('link[rel="icon"][type="image/svg+xml"]').getAttribute('href')) ?? '');
  t.equal(await icon(), 'icon', 'the mark alone on other pages');
  await c.open(`/builds/${id}`);
  await titled(page, `running · ${about.title} · `);
  t.equal(await icon(), 'icon-running');
  await host.finish(id);
  await titled(page, 'succeeded');
  t.equal(await icon(), 'icon-good');
  for (const link of ['link[rel="icon"][type="image/png"]', 'link[rel="apple-touch-icon"]']) {
    const address = await page.locator(link).getAttribute('href');
    const response = await page.request.get(h.siteUrl + address);
    t.equal(response.status(), 200, `${address}`);
    t.match(response.headers()['content-type'], /^image\//);
  }
  await c.open(`/builds/${failed}`);
  await titled(page, 'failed');
  t.equal(await icon(), 'icon-bad');
  const stopping = await submit(h);
  await inScript(h, host, stopping);
  await c.open(`/builds/${stopping}`);
  await h.call('POST', `/builds/${stopping}/cancel`);
  await h.clock.advance(1_000);
  await titled(page, 'is being canceled');
  await page.getByText('is being canceled', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Builds' }).first().click();
  await titled(page, 'Builds');
  t.equal(await icon(), 'icon');
});

/** Clicks a button twice before the page can draw. */
const twice = (page: Page, name: string) =>
  page.evaluate(`{
    const named = (button) => (button.getAttribute('aria-label') ?? button.textContent).startsWith('${name}');
    const button = [...document.querySelectorAll('button')].find(named);
    button.click();
    button.click();
  }`);

t.test('two clicks within a frame send one request, and a repeat has the same key', async (t) => {
  const { c } = await start(t);
  const { page, h } = c;
  const keys: (string | undefined)[] = [];
  await page.route('**/rerun', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    // The first answer is lost on its way.
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  const count = async () => (await h.call('GET', '/builds')).json().builds.length;
  const before = await count();
  await twice(page, 'Run again');
  await page.getByText('The service cannot be reached.').first().waitFor();
  t.equal(keys.length, 1);
  await twice(page, 'Run again');
  await page.waitForURL(/\/builds\/rb_/);
  await settled(c);
  t.equal(keys.length, 2);
  t.match(keys[0], /^[0-9a-f]{32}$/);
  t.equal(keys[1], keys[0], 'so the service knows the repeat');
  t.equal(await count(), before + 1);

  // The same for a form.
  await c.open(`/builds/${new URL(page.url()).pathname.split('/').at(-1)}`);
  const shared: string[] = [];
  page.on('request', (request) => {
    if (/\/share$/.test(request.url())) shared.push(request.method());
  });
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create the link' }).waitFor();
  await twice(page, 'Create the link');
  await page.getByRole('region', { name: 'Link' }).waitFor();
  t.same(shared, ['POST']);
});
