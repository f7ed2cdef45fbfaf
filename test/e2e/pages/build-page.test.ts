// The page at the console_url of a message: a real browser against the real service.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { openPage } from '../../harness/console/browser.js';
import { startListening } from '../../harness/console/listening.js';
import { PASSWORD } from '../../harness/harness.js';
import { submit } from '../../harness/submitting.js';

const pictures = process.env.CIDERMILL_TEST_SCREENSHOTS;
const picture = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
};

async function start(t: Test) {
  const h = await startListening(t);
  return { h, host: await startBuildHost(h, { macs: 1 }) };
}

/** Creates a failed build with everything that the page can show. */
async function failedBuild({ h, host }: Awaited<ReturnType<typeof start>>): Promise<string> {
  const { id } = await submit(h, { ref: 'main', commit: '0123456789abcdef0123456789abcdef01234567' });
  await host.start();
  const line = (n: number) =>
    `CompileSwift normal arm64 /Users/builder/work/App/Sources/File${n}.swift (in target App)\n`;
  await host.output(id, Array.from({ length: 70 }, (_, n) => line(n)).join(''));
  await host.output(id, `App/Cart.swift:12:9: error: cannot find 'totl' in scope\n${'wide'.repeat(200)}\n`);
  await h.clock.advance(95_000);
  const bytes = Buffer.from('x'.repeat(2_000));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await h.artifacts.store(
    { buildId: id, attempt: 1, name: 'reports/junit.xml', bytes: bytes.length, sha256 },
    Readable.from([bytes]),
  );
  await host.finish(id, { exit_code: 65, reason_code: 'script_failed', fault: 'customer', summary: 'x' });
  return id;
}

t.test('a person follows the link, signs in, and is redirected to the build', async (t) => {
  const scene = await start(t);
  const { h } = scene;
  await h.signIn('developer', { email: 'ada@example.com' });
  const id = await failedBuild(scene);
  const url = `${h.siteUrl}/builds/${id}`;
  const { page, complaints } = await openPage(t);
  await page.goto(url);
  await page.getByText('Sign in to see the build.').waitFor();
  await picture(page, 'build-sign-in');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(url);
  await page.getByRole('heading', { name: 'Why it failed' }).waitFor();
  await page.getByText("cannot find 'totl' in scope").first().waitFor();
  t.match(await page.title(), `failed: build ${id}`);
  await picture(page, 'build-failed');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'reports/junit.xml' }).click(),
  ]);
  t.equal(download.suggestedFilename(), 'junit.xml');
  await page.getByRole('link', { name: 'The whole log as text' }).click();
  await page.getByText('File69.swift').waitFor();
  t.same(complaints, []);
});

t.test('on a narrow and dark screen, with the keyboard, without scripts', async (t) => {
  const scene = await start(t);
  const { h } = scene;
  const cookie = await h.signIn('developer');
  const id = await failedBuild(scene);
  const { page, context, complaints } = await openPage(t, { dark: true, width: 320, scripts: false });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: h.siteUrl }]);
  await page.goto(`${h.siteUrl}/builds/${id}`);
  await page.getByRole('heading', { name: 'Artifacts' }).waitFor();
  await picture(page, 'build-narrow-dark');
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  t.ok(width <= 320, `nothing sticks out: ${width}`);
  t.equal(await page.getByRole('region', { name: 'The last lines of the log' }).count(), 1);
  t.same(complaints, []);

  await page.goto(`${h.siteUrl}/builds/rb_none`);
  await page.getByRole('heading', { name: 'No such build' }).waitFor();
  await picture(page, 'build-none');
});

t.test('a build that waits and one that succeeded', async (t) => {
  const { h, host } = await start(t);
  const cookie = await h.signIn('owner');
  const first = await submit(h);
  const second = await submit(h);
  await host.start();
  await host.output(first.id, 'hello\n');
  const { page, context } = await openPage(t, { width: 700 });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: h.siteUrl }]);
  await page.goto(`${h.siteUrl}/builds/${second.id}`);
  await page.getByText('every Mac that could run it has a build').waitFor();
  await picture(page, 'build-queued');
  await page.goto(`${h.siteUrl}/builds/${first.id}`);
  await page.getByText('running', { exact: true }).waitFor();
  await picture(page, 'build-running');
  await host.finish(first.id);
  await page.getByRole('link', { name: 'Reload' }).click();
  await page.getByText('succeeded', { exact: true }).first().waitFor();
  await picture(page, 'build-succeeded');
});
