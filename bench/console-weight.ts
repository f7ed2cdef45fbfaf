// What the pages of the console weigh: requests, bytes over the wire, bytes of scripts, and times in a browser with a slow
// connection (400 kbit/s, 400 ms) and a processor slowed five times. Each is printed beside its aim; counts hold on any
// machine, times on one that does nothing else. `--counts` leaves the times out.
import type { CDPSession } from 'playwright-core';
import { startBuildHost } from '../test/harness/build-host.js';
import { startListening } from '../test/harness/console/listening.js';
import { startBrowser } from './browser.js';

const AIM = { requests: 12, signInScriptKb: 90, firstPaintMs: 3_000 };
const SLOW = { latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 };
const SLOWER = 5;
const LINES = 1_000;
/** A page that asks for nothing for so long is complete; what follows is loaded ahead for other pages. */
const QUIET_MS = 1_500;
const counts = process.argv.includes('--counts');
/** `--list`: prints each request. */
const listed = process.argv.includes('--list');

const ends: (() => unknown)[] = [];
// In tests, the harness registers only what to do at the end.
const test = { teardown: (end: () => unknown) => void ends.push(end) } as never;
const many = 100_000_000;
const h = await startListening(test, {
  limits: { requests_per_minute: many, people_requests_per_minute: many },
  operatorToken: 'x'.repeat(32),
});
const cookie = await h.signIn('owner', { email: 'ada@example.com', operator: true });
const host = await startBuildHost(h, { macs: 2 });
const build = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'apple/swift' } })).json();
await host.start();
const line = (i: number) =>
  `CompileSwift normal arm64 /Users/builder/work/App/Sources/Screen${i}.swift (in target 'App')\n`;
await host.output(build.id, Array.from({ length: LINES }, (_, i) => line(i)).join(''));
await host.finish(build.id);
const row = await h.store.get<{ slug: string }>('SELECT slug FROM organizations WHERE id = :id', { id: h.org.id });
const org = `/o/${row?.slug}`;

const pages: readonly (readonly [string, string, string])[] = [
  ['sign-in', '/sign-in', 'input[type=password]'],
  ['overview', org, 'h1'],
  ['builds', `${org}/builds`, 'h1'],
  [`a build with ${LINES} lines`, `${org}/builds/${build.id}`, '[data-line]'],
  ['rent', `${org}/rent`, 'h1'],
  ['fleet', '/operator', 'h1'],
];

const browser = await startBrowser();

interface Seen {
  requests: number;
  bytes: number;
  scripts: number;
}

/** Opens a page in a new browser context; `slow`: on the slow connection. */
async function open(path: string, ready: string, slow: boolean) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  if (path !== '/sign-in') {
    const [name = '', value = ''] = cookie.split(/=(.*)/s);
    await context.addCookies([{ name, value, url: h.siteUrl }]);
  }
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  if (slow) {
    await devTools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  }
  const seen = await watch(devTools);
  await page.goto(h.siteUrl + path, { waitUntil: 'commit' });
  await page.locator(ready).first().waitFor({ timeout: 60_000 });
  await page.locator('#first-paint, [data-loading]').first().waitFor({ state: 'detached', timeout: 60_000 });
  const readyMs = Number(await page.evaluate('performance.now()'));
  const firstPaintMs = Number(
    await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime'),
  );
  const counted = await seen.complete();
  await context.close();
  return { ...counted, readyMs, firstPaintMs };
}

/** Counts what the page requests until it is quiet. */
async function watch(devTools: CDPSession) {
  const seen: Seen = { requests: 0, bytes: 0, scripts: 0 };
  const scripts = new Set<string>();
  let lastAt = performance.now();
  await devTools.send('Network.enable');
  devTools.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('data:')) return;
    seen.requests++;
    lastAt = performance.now();
    if (listed) process.stdout.write(`  ${request.url.slice(h.siteUrl.length)}\n`);
  });
  devTools.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script' || /\.js$/.test(response.url)) scripts.add(requestId);
  });
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    seen.bytes += encodedDataLength;
    if (scripts.has(requestId)) seen.scripts += encodedDataLength;
    lastAt = performance.now();
  });
  return {
    async complete(): Promise<Seen> {
      while (performance.now() - lastAt < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50));
      return { ...seen };
    },
  };
}

const kb = (bytes: number) => Math.round(bytes / 100) / 10;
const rows: Record<string, string | number>[] = [];
const missed: string[] = [];
for (const [name, path, ready] of pages) {
  const fast = await open(path, ready, false);
  const slow = counts ? null : await open(path, ready, true);
  if (fast.requests > AIM.requests) missed.push(`${name}: ${fast.requests} requests`);
  if (path === '/sign-in' && kb(fast.scripts) > AIM.signInScriptKb)
    missed.push(`${name}: ${kb(fast.scripts)} KB of scripts`);
  if (slow && slow.firstPaintMs > AIM.firstPaintMs)
    missed.push(`${name}: first paint after ${Math.round(slow.firstPaintMs)} ms`);
  rows.push({
    page: name,
    requests: fast.requests,
    'KB over the wire': kb(fast.bytes),
    'KB of scripts': kb(fast.scripts),
    ...(slow ? { 'first paint, ms': Math.round(slow.firstPaintMs), 'ready, ms': Math.round(slow.readyMs) } : {}),
  });
}
await browser.close();
console.table(rows);
console.log(
  `aims: ${AIM.requests} requests, ${AIM.signInScriptKb} KB of scripts for sign-in, first paint in ${AIM.firstPaintMs} ms`,
);
for (const aim of missed) console.error(`aim missed: ${aim}`);
if (missed.length > 0) process.exitCode = 1;
for (const end of ends.reverse()) await end();
