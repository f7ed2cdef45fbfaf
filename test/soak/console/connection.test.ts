// What a page says of its connection, and that it is up to date again at once when the connection is back.
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { violations } from '../../harness/console/check-page.js';
import { type FreezingProxy, startFreezingProxy } from '../../harness/console/freezing-proxy.js';
import { type ConsoleOptions, type OpenedConsole, openConsole, settled } from '../../harness/console/open-console.js';
import { until } from '../../harness/until.js';
import { inScript, submit } from './building.js';

const SHOTS = process.env.CIDERMILL_SCREENSHOTS;

/** A running build, seen through a proxy, on a page whose time stands still unless it is advanced. */
async function watched(t: Test, options: ConsoleOptions = {}) {
  const proxy = await startFreezingProxy(t);
  const c = await openConsole(t, { ...options, harness: { siteUrl: proxy.url, oneClock: true } });
  proxy.target = (c.h.server.server.address() as AddressInfo).port;
  const { h, page } = c;
  const host = await startBuildHost(h, { macs: 1 });
  const id = await submit(h);
  await inScript(h, host, id);
  await host.output(id, 'line 1\n');
  await page.clock.install({ time: h.clock.now() });
  const heard = await beats(c);
  return { ...c, proxy, host, id, heard, say: (n: number) => host.output(id, `line ${n}\n`) };
}

/** Counts the events of the page's live streams. */
async function beats({ context, page }: OpenedConsole) {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const count = { events: 0 };
  session.on('Network.eventSourceMessageReceived', () => {
    count.events++;
  });
  return count;
}

type Watched = Awaited<ReturnType<typeof watched>>;

const marks = async ({ page }: Watched) =>
  Promise.all((await page.locator('[data-live]').all()).map((mark) => mark.getAttribute('data-live')));

/** Header and log say the same. */
const both = (c: Watched, state: string) =>
  until(async () => String(await marks(c)) === `${state},${state}`, `header and log are ${state}`);

const bannerOf = ({ page }: Watched) => page.getByText('This page shows what was known then.');

/** How long answers that have been sent may take to be shown. */
const LOOK_MS = 3_000;

/** Advances the page's time until `holds`. Returns how much it was, in ms. */
async function passing({ page }: Watched, holds: () => Promise<boolean>, most = 10_000): Promise<number> {
  for (let ms = 0; ; ms += 250) {
    // The network takes its time, while that of the page stands still.
    const look = performance.now() + LOOK_MS;
    while (performance.now() < look) if (await holds()) return ms;
    if (ms >= most) throw new Error(`not within ${most} ms of the page's time`);
    await page.clock.runFor(250);
  }
}

async function linesOf({ page }: Watched): Promise<string[]> {
  const rows = await page.locator('[role=row][data-line]').allInnerTexts();
  return rows.map((row) => /line \d+/.exec(row)?.[0] ?? row);
}

async function stopTime({ page }: Watched) {
  await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 1_000);
}

const shows =
  (c: Watched, ...lines: number[]) =>
  async () =>
    String(await linesOf(c)) === lines.map((n) => `line ${n}`).join();

/** What the page shows when the connection is back, after two lines that it has missed. */
async function comesBack(t: Test, c: Watched, proxy: FreezingProxy) {
  await c.say(3);
  await c.say(4);
  await stopTime(c);
  proxy.restore();
  const ms = await passing(c, async () => (await shows(c, 1, 2, 3, 4)()) && (await bannerOf(c).count()) === 0);
  t.ok(ms <= 2_000, `everything is fresh after ${ms} ms`);
  await both(c, 'open');
  await c.page.clock.resume();
  await c.say(5);
  await until(shows(c, 1, 2, 3, 4, 5), 'lines come as before, each once');
}

t.test('a connection that freezes is noticed, and what was missed comes back with it', async (t) => {
  const c = await watched(t);
  const { h, page, proxy, heard } = c;
  await c.open(`/builds/${c.id}`);
  await both(c, 'open');
  await c.say(2);
  await until(shows(c, 1, 2), 'the log is live');

  // Nothing happens for a minute, but the service says that it is there.
  for (let i = 0; i < 2; i++) {
    const before = heard.events;
    await page.clock.fastForward(30_000);
    await h.clock.advance(15_000);
    await until(() => heard.events > before, 'a beat');
  }
  t.same(await marks(c), ['open', 'open']);

  proxy.freeze();
  await page.clock.fastForward(30_000);
  t.same(await marks(c), ['open', 'open'], 'a beat may be late');
  await page.clock.fastForward(11_000);
  await both(c, 'lost');
  t.match(await bannerOf(c).innerText(), /^No connection since \d\d:\d\d\. This page shows what was known then\.$/);
  t.same(await violations(page), []);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/connection-lost.png` });
  // Half a minute of attempts, each of which finds that one more of the browser's idle connections is dead.
  for (let i = 0; i < 20; i++) {
    await page.clock.runFor(1_500);
    await page.evaluate('1');
  }
  await comesBack(t, c, proxy);
  t.same(c.complaints, []);
});

t.test('a connection that is cut is noticed at once; Korean, dark, on a phone', async (t) => {
  const c = await watched(t, { width: 390, dark: true });
  const { page, proxy } = c;
  await c.open(`/builds/${c.id}`);
  await both(c, 'open');
  await c.say(2);
  await until(shows(c, 1, 2), 'the log is live');
  proxy.cut();
  await both(c, 'lost');
  await bannerOf(c).waitFor();
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/connection-cut-dark.png` });
  t.equal(await page.getByRole('alert').count(), 0, 'it is said once');
  await comesBack(t, c, proxy);

  await c.context.addCookies([{ name: 'cidermill_language', value: 'ko', url: proxy.url }]);
  await page.reload();
  await settled(c);
  await both(c, 'open');
  proxy.cut();
  await page.getByText(/부터 연결이 끊겼습니다\. 이 페이지는 그때까지의 내용을 보여 줍니다\.$/).waitFor();
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.ok(Number(wide) <= 0, 'nothing to scroll to the side for');
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/connection-cut-ko.png` });
});

t.test('the browser says when it is offline', async (t) => {
  const c = await watched(t);
  await c.open(`/builds/${c.id}`);
  await both(c, 'open');
  // The page verifies it with a request.
  for (const event of ['offline', 'online']) {
    const asked = c.page.waitForRequest((request) => request.resourceType() === 'eventsource');
    await c.page.evaluate(`void dispatchEvent(new Event('${event}'))`);
    await asked;
    await both(c, 'open');
  }
  await c.context.setOffline(true);
  await both(c, 'lost');
  await bannerOf(c).waitFor();
  await stopTime(c);
  await c.context.setOffline(false);
  t.ok((await passing(c, async () => String(await marks(c)) === 'open,open')) <= 2_000);
});

t.test('a page without a live stream hears of the connection from its log', async (t) => {
  const c = await watched(t);
  const { page, proxy } = c;
  const shared = await c.h.callConsole('POST', `/v1/organizations/${c.h.org.orgId}/builds/${c.id}/share`, {
    key: null,
    headers: { cookie: c.cookie },
  });
  await page.goto(shared.json().url);
  await until(async () => String(await marks(c)) === 'open', 'the log is live');
  proxy.freeze();
  await page.clock.fastForward(41_000);
  await until(async () => String(await marks(c)) === 'lost', 'the log is lost');
  await bannerOf(c).waitFor();
  proxy.cut();
  await c.say(2);
  proxy.restore();
  await until(async () => {
    await page.clock.runFor(1_000);
    return String(await marks(c)) === 'open' && (await shows(c, 1, 2)());
  }, 'it is back, and no line is lost');
  t.equal(await bannerOf(c).count(), 0);
});
