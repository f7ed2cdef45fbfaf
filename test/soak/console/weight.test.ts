// What the console weighs, and what it shows before its scripts run.
import t from 'tap';
import { openPage } from '../../harness/console/browser.js';
import { giveCookie, openConsole, settled } from '../../harness/console/open-console.js';

const SHOTS = process.env.CIDERMILL_SCREENSHOTS;
const TIMEOUT = { timeout: 180_000 };

/** Bytes of scripts that the browser receives for the page to sign in, compressed. */
const SIGN_IN_SCRIPT_BYTES = 90_000;
/** Of a page that is opened by its address, until it is complete; other pages are loaded ahead later. */
const REQUESTS = 12;

const PAGES = [
  ...['/', '/builds', '/queue', '/errors', '/macs', '/rent', '/orders', '/secrets', '/webhooks', '/files', '/keys'],
  ...['/members', '/workspaces', '/billing', '/notices', '/audit', '//operator', '//operator/orders', '//settings'],
];

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

/** Files that the document names, and addresses that are read: which do not depend on how long the page takes. */
t.test('pages ask for little', TIMEOUT, async (t) => {
  const c = await openConsole(t, { operator: true });
  for (const path of PAGES) {
    const reads = new Set<string>();
    const note = (request: { url(): string }) => {
      const address = request.url().slice(c.h.siteUrl.length);
      if (address.startsWith('/api/')) reads.add(address);
    };
    c.page.on('request', note);
    await c.open(path);
    await c.page.locator('#first-paint').waitFor({ state: 'detached' });
    c.page.off('request', note);
    const url = path.startsWith('//') ? path.slice(1) : `/o/${c.slug}${path}`.replace(/\/$/, '');
    const { body } = await c.h.server.inject({ url, headers: { cookie: c.cookie } });
    const files = new Set(body.match(/\/console\/assets\/[^"]+\.(?:js|css)/g));
    t.ok(files.size > 2, `${path}: ${files.size} files`);
    const asked = 1 + files.size + reads.size;
    t.ok(asked <= REQUESTS, `${path}: ${asked} requests: ${[...files, ...reads].join(' ')}`);
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
  const places = async ({ page }: Pick<typeof still, 'page'>) => {
    const links = ['Cidermill', 'Overview', 'Builds', 'Queue'].map((name) =>
      page.getByRole('link', { name, exact: true }).first(),
    );
    const boxes = [...links, page.getByRole('banner')].map((part) => part.boundingBox());
    // How high the page is depends on what it shows.
    const { height: _, ...main } = (await page.getByRole('main').boundingBox()) ?? {};
    return [...(await Promise.all(boxes)), main];
  };
  t.same(await places(still), await places(c), 'nothing moves');
});
