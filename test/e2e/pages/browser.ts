// Debian's Chromium, driven without a screen.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { atProcessEnd } from '../../setup/process-end.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors of scripts, refusals by the content security policy. */
  readonly complaints: readonly string[];
}

export interface PageOptions {
  readonly dark?: boolean;
  readonly width?: number;
  /** False: as a browser that runs no JavaScript. */
  readonly scripts?: boolean;
}

let started: Promise<Browser> | undefined;

/** One browser for all files of a process. */
function startBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('these tests need Chromium: apt-get install chromium');
  if (!started) {
    const starting = chromium.launch({
      executablePath,
      // The tests run as root in containers, where Chromium's own sandbox cannot.
      chromiumSandbox: false,
      args: ['--disable-dev-shm-usage', '--disable-gpu'],
    });
    atProcessEnd(async () => (await starting).close());
    started = starting;
  }
  return started;
}

/** A page of its own person, with no cookies. It closes with its test. */
export async function openPage(
  t: Test,
  { dark = false, width = 1_000, scripts = true }: PageOptions = {},
): Promise<OpenedPage> {
  const browser = await startBrowser();
  const context = await browser.newContext({
    colorScheme: dark ? 'dark' : 'light',
    viewport: { width, height: 900 },
    javaScriptEnabled: scripts,
    locale: 'en-GB',
    timezoneId: 'Asia/Seoul',
  });
  t.teardown(() => context.close());
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // An API answer that is an error is told there too; the pages deal with those.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  return { page, context, complaints };
}
