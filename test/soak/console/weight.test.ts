// What the console weighs, and what it shows before its scripts run.
import t from 'tap';
import { openPage } from '../../harness/console/browser.js';
import { giveCookie, openConsole, settled } from '../../harness/console/open-console.js';

const SHOTS = process.env.CIDERMILL_SCREENSHOTS;
const TIMEOUT = { timeout: 180_000 };

/** Bytes of scripts that the browser receives for the page to sign in, compressed. */
const SIGN_IN_SCRIPT_BYTES = 90_000;
/** Of a page that is opened by its address, until it is complete; other pages are loaded ahead later. */
const REQUESTS = 14;

t.test('sign-in: its scripts, as they are sent', TIMEOUT, async (t) => {
  const c = await openConsole(t, { role: null });
  const devTools = await c.context.newCDPSession(c.page);
  await devTools.send('Network.enable');
  const scripts = new Map<string, number>();
  devTools.on('Network.responseReceived', ({ requestId, response }) => {
    if (!/\.js$/.test(response.url)) return;
    scripts.set(requestId, 0);
  });
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength);
  });
  await c.open('//sign-in');
  const bytes = [...scripts.values()].reduce((sum, each) => sum + each, 0);
  t.ok(bytes > 0 && bytes <= SIGN_IN_SCRIPT_BYTES, `${bytes} bytes`);
});

t.test('pages ask for little', TIMEOUT, async (t) => {
  const c = await openConsole(t, { operator: true });
  for (const path of ['/', '/builds', '/rent', '/macs', '/keys', '//operator', '//settings']) {
    const asked: string[] = [];
    const note = (request: { url(): string }) =>
      request.url().startsWith(c.h.siteUrl) && asked.push(request.url().slice(c.h.siteUrl.length));
    c.page.on('request', note);
    await c.open(path);
    await c.page.locator('#first-paint').waitFor({ state: 'detached' });
    c.page.off('request', note);
    t.ok(asked.length <= REQUESTS, `${path}: ${asked.length} requests: ${asked.join(' ')}`);
    const reads = asked.filter((each) => each.startsWith('/api/'));
    t.equal(new Set(reads).size, reads.length, `${path}: nothing is read twice`);
  }
  t.same(c.complaints, []);
});

t.test('without scripts: the frame, the navigation, and a sentence', TIMEOUT, async (t) => {
  const c = await openConsole(t, { scripts: false, width: 1_280 });
  const { page, context, h } = c;
  await page.goto(`${h.siteUrl}/o/${c.slug}/builds`);
  await page.getByRole('link', { name: 'Cidermill' }).waitFor();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  t.equal(await navigation.getByRole('link', { name: 'Queue' }).getAttribute('href'), `/o/${c.slug}/queue`);
  t.equal(await navigation.getByRole('link', { name: 'API keys' }).count(), 0, 'what only some roles see comes later');
  const sentence = page.locator('noscript p');
  await sentence.waitFor();
  t.match(await sentence.innerText(), 'The console needs JavaScript');
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/first-paint-en-light-1280.png` });
  const side = await page.locator('aside').boundingBox();
  t.match(side, { x: 0, width: 224 }, 'styled as the application is');
  await context.addCookies([
    { name: 'cidermill_language', value: 'ko', url: h.siteUrl },
    { name: 'cidermill_theme', value: 'dark', url: h.siteUrl },
  ]);
  await page.reload();
  await page.getByRole('navigation', { name: '주 메뉴' }).getByRole('link', { name: '빌드' }).waitFor();
  t.match(await sentence.innerText(), 'JavaScript를 허용하세요');
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/first-paint-ko-dark-1280.png` });
  t.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  await context.clearCookies();
  await page.goto(`${h.siteUrl}/o/${c.slug}/builds`);
  t.equal(await page.getByRole('navigation').count(), 0, 'nobody is signed in: the frame of the sign-in page');
});

t.test('the frame of the document is where the application paints it', TIMEOUT, async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const still = await openPage(t, { scripts: false, width: 1_280 });
  await giveCookie(still, c.h.siteUrl, c.cookie);
  await still.page.goto(`${c.h.siteUrl}/o/${c.slug}/queue`);
  await c.open('/queue');
  await settled(c);
  const places = async ({ page }: Pick<typeof still, 'page'>) =>
    Promise.all(
      ['Cidermill', 'Overview', 'Builds', 'Queue'].map((name) =>
        page.getByRole('link', { name, exact: true }).first().boundingBox(),
      ),
    );
  t.same(await places(still), await places(c), 'nothing moves');
});
