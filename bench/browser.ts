// Debian's Chromium, headless, for benches of the console.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-headless-shell'];

/** @throws Error where there is no Chromium */
export function startBrowser(): Promise<Browser> {
  const executablePath = NAMES.map((name) => `/usr/bin/${name}`).find(existsSync);
  if (executablePath === undefined) throw new Error(`this bench needs Chromium: apt-get install ${NAMES[1]}`);
  return chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-gpu'],
  });
}
