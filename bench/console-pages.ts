// Every request that the pages of the console make, with 10,000 builds, 200 Macs and 50 people in the database: the
// pages are opened in a browser (Debian's chromium), which says what they request; then each request is repeated.
// Ends with an error if one of them takes more than 100 ms (95th percentile).
import { join } from 'node:path';
import { addresses } from '../control-plane/console/addresses.js';
import { startBuildHost } from '../test/harness/build-host.js';
import { startListening } from '../test/harness/console/listening.js';
import { startBrowser } from './browser.js';
import { addConsoleHistory } from './console-history.js';
import { median, print } from './report.js';

const LIMIT_MS = 100;
const rounds = 40;
const hosts = 20;
const macsPerHost = 10;
const builds = 10_000;
const people = 50;

/** Pages that show nothing of an organization, or lead elsewhere. */
const without = new Set(['/sign-in', '/first-owner', '/invite', '/shared/$token', '/builds/$build_id']);

/** `--pages PREFIX`: only addresses that begin so. */
const at = process.argv.indexOf('--pages');
const prefix = at < 0 ? '' : (process.argv[at + 1] ?? '');

const ends: (() => unknown)[] = [];
// In tests, the harness registers only what to do at the end.
const test = { teardown: (end: () => unknown) => void ends.push(end) } as never;

const many = 100_000_000;
const limits = { requests_per_minute: many, people_requests_per_minute: many, order_units: many };
const h = await startListening(test, { limits, operatorToken: 'x'.repeat(32) });
const cookie = await h.signIn('owner', { email: 'ada@example.com', operator: true });
const rentals: string[] = [];
for (let i = 0; i < hosts; i++) {
  rentals.push(...(await startBuildHost(h, { macs: macsPerHost, hours: 720 })).rentals);
}
for (let i = 0; i < 50; i++) await h.secrets.put(h.org.id, `SECRET_${i}`, { value: `value of ${i}` });
await h.store.run(
  `INSERT INTO webhooks (webhook_id, account_id, url, events, status, secret, test, created_at)
   VALUES ('wh_1', :account, 'https://hooks.example.com/', '["build.succeeded"]', 'enabled', x'00', '{"ok":true,"httpStatus":200,"error":null}', 0)`,
  { account: h.org.id },
);
addConsoleHistory(join(h.data, 'cidermill.db'), {
  accountId: h.org.id,
  workspaceId: h.org.workspaceId,
  webhookId: 'wh_1',
  rentals,
  builds,
  queued: 100,
  people,
  now: h.clock.now(),
});
const first = async <T>(sql: string) => (await h.store.get<{ id: T }>(sql))?.id;
const host = await first<string>('SELECT host_id AS id FROM hosts LIMIT 1');
const slug = await first<string>(`SELECT slug AS id FROM organizations WHERE name = 'Apple Press'`);
const failed = await first<string>(
  `SELECT build_id AS id FROM builds WHERE status = 'failed' ORDER BY created_at DESC LIMIT 1`,
);
const values: Readonly<Record<string, string | undefined>> = {
  org: slug,
  build_id: failed,
  rental_id: rentals[7],
  order_no: 'RT-0000-0000-0007',
  webhook_id: 'wh_1',
  host_id: host,
  org_id: h.org.orgId,
};

const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
const [name = '', value = ''] = cookie.split(/=(.*)/s);
await context.addCookies([{ name, value, url: h.siteUrl }]);
const page = await context.newPage();

/** Requests of each page, as they are sent. */
const pages = new Map<string, Set<string>>();
for (const address of addresses) {
  if (without.has(address) || !address.startsWith(prefix)) continue;
  const path = address.replace(/\$(\w+)/g, (_, name: string) => values[name] ?? 'none');
  const requests = new Set<string>();
  const note = (request: { url(): string; method(): string }) => {
    const url = request.url().slice(h.siteUrl.length);
    if (request.method() === 'GET' && url.startsWith('/api/') && !url.endsWith('/live')) requests.add(url);
  };
  page.on('request', note);
  await page.goto(h.siteUrl + path);
  try {
    await page.locator('h1').first().waitFor({ timeout: 10_000 });
    await page.locator('[data-loading]').first().waitFor({ state: 'detached' });
  } catch (error) {
    throw new Error(`${path} does not load: ${await page.locator('body').innerText()}`, { cause: error });
  }
  page.off('request', note);
  pages.set(address, requests);
}

interface Measured {
  readonly p50: number;
  readonly p95: number;
  readonly status: number;
}

async function measure(url: string): Promise<Measured> {
  const times: number[] = [];
  let status = 0;
  for (let i = 0; i < rounds; i++) {
    const start = process.hrtime.bigint();
    const answer = await fetch(h.siteUrl + url, { headers: { cookie } });
    await answer.arrayBuffer();
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
    status = answer.status;
  }
  times.sort((a, b) => a - b);
  return { p50: median(times), p95: times[Math.floor(rounds * 0.95)] ?? 0, status };
}

const all = [...new Set([...pages.values()].flatMap((requests) => [...requests]))];
const measured = new Map<string, Measured>();
await browser.close();
for (const url of all) measured.set(url, await measure(url));
for (const end of ends.toReversed()) await end();

const short = (url: string) => url.replace(`/organizations/${h.org.orgId}`, '/…').replace('/api/runner/v1', '');
const of = (url: string) => measured.get(url) ?? { p50: 0, p95: 0, status: 0 };
const slowest = all.toSorted((one, other) => of(other).p95 - of(one).p95);
print(
  `requests of ${pages.size} pages, 95th percentile of ${rounds}, slowest first`,
  slowest.map((url) => ({
    name: `${of(url).status} ${short(url)}`,
    value: of(url).p95,
    unit: 'ms',
    ratio: null,
  })),
);
print(
  'pages: slowest request, median',
  [...pages].map(([address, requests]) => ({
    name: `${address} (${requests.size})`,
    value: Math.max(0, ...[...requests].map((url) => of(url).p50)),
    unit: 'ms',
    ratio: null,
  })),
);
const late = slowest.filter((url) => of(url).p95 > LIMIT_MS);
if (late.length > 0) {
  process.stderr.write(`above ${LIMIT_MS} ms: ${late.map(short).join(' ')}\n`);
  process.exitCode = 1;
}
