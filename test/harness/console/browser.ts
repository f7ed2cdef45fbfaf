// Debian's Chromium, headless.
// Requires: chromium-headless-shell|chromium|chromium-browser|google-chrome
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { atProcessEnd } from '../../setup/process-end.js';
import { explainFailure } from './explain.js';
import { slowDown } from './slow.js';

// Chromium without the browser around its pages, which takes up to twice the processor time, comes first.
const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

const HEAP = '--single-threaded-gc --min-semi-space-size=32 --max-semi-space-size=32';

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the browser: script errors, violations of the content security policy. */
  readonly complaints: readonly string[];
  /** Origins of all requests. */
  readonly origins: ReadonlySet<string>;
}

export interface PageOptions {
  readonly dark?: boolean;
  readonly width?: number;
  /** False: JavaScript is disabled. */
  readonly scripts?: boolean;
  /** True: with animations. Without a graphics card each of their frames takes processor time. */
  readonly motion?: boolean;
}

let started: Promise<Browser> | undefined;

/** One browser, shared by all test files of a process. */
function startBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('these tests need Chromium: apt-get install chromium');
  if (!started) {
    const starting = chromium.launch({
      executablePath,
      // The tests run as root in containers, where Chromium's sandbox does not work.
      chromiumSandbox: false,
      // As tools/test/run-process.ts does for Node; and one thread to draw, because all cores are in use.
      args: ['--disable-dev-shm-usage', '--disable-gpu', '--num-raster-threads=1', `--js-flags=${HEAP}`],
    });
    atProcessEnd(async () => (await starting).close());
    started = starting;
  }
  return started;
}

/** Opens a page in a new browser context without cookies. It closes with its test. */
export async function openPage(
  t: Test,
  { dark = false, width = 1_000, scripts = true, motion = false }: PageOptions = {},
): Promise<OpenedPage> {
  const browser = await startBrowser();
  const context = await browser.newContext({
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: motion ? 'no-preference' : 'reduce',
    viewport: { width, height: 900 },
    javaScriptEnabled: scripts,
    locale: 'en-GB',
    timezoneId: 'Asia/Seoul',
  });
  t.teardown(() => context.close());
  // A busy machine must not reach it.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await slowDown(t, context, page);
  const complaints: string[] = [];
  t.teardown(explainFailure(t, page, complaints));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Error responses and missing connections are logged there too; the pages handle those.
    const handled = /Failed to (load resource|fetch dynamically imported module)/;
    if (message.type() === 'error' && !handled.test(message.text())) {
      complaints.push(message.text());
    }
  });
  const origins = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  return { page, context, complaints, origins };
}
