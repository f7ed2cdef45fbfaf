// Debian's Chromium, driven without a screen.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

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

/** One browser for all tests of a file. Each page is a person of its own, with no cookies, and closes with its test. */
export async function startBrowser(
  file: Test,
): Promise<(t: Test, options?: PageOptions) => Promise<OpenedPage>> {
  if (executablePath === undefined) throw new Error('these tests need Chromium: apt-get install chromium');
  const browser: Browser = await chromium.launch({
    executablePath,
    // The tests run as root in containers, where Chromium's own sandbox cannot.
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-gpu'],
  });
  file.teardown(() => browser.close());
  return async (t, { dark = false, width = 1_000, scripts = true } = {}) => {
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
  };
}
