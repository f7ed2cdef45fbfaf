// What holds for every page of the console, in both languages and themes, on a desktop and on a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import type { OpenedConsole } from './open-console.js';
import { settled } from './open-console.js';
import { isSlow } from './slow.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Folder for screenshots; unset: none are taken. */
const shots = process.env.CIDERMILL_SCREENSHOTS;

/** Every pair of language, theme and width. Tests go on in the last one. */
const looks = [
  { language: 'en', theme: 'dark', width: 390 },
  { language: 'ko', theme: 'dark', width: 1_280 },
  { language: 'ko', theme: 'light', width: 390 },
  { language: 'en', theme: 'light', width: 1_280 },
] as const;

/**
 * Waits until no animation runs except endless ones, for two frames, three seconds at most. What opens keeps the style
 * it starts from, and has no animation yet, until a frame has been drawn. The browser may draw no frame of a page that
 * rests.
 */
const REST = `(async () => {
  const frame = () => new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 50);
  });
  const moves = () =>
    document.querySelector('[data-starting-style], [data-ending-style]') !== null ||
    document.getAnimations().some(
      (one) => one.playState === 'running' && one.effect?.getTiming().iterations !== Infinity,
    );
  const end = performance.now() + 3_000;
  for (let still = 0; still < 2 && performance.now() < end; still = moves() ? 0 : still + 1) await frame();
})()`;

export interface CheckOptions {
  /** Brings the page into the state to check after each load, e.g. opens a dialog. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/**
 * Loads the present address in four looks, and checks: no violation that axe finds, no error of the browser, no
 * violation of the content security policy, no request to another origin, nothing to scroll to the side for. Ends in
 * English, light, 1280 px wide.
 *
 * @param name of the screenshots, `<name>-en-light-1280.png` …
 */
export async function checkPage(
  t: Test,
  opened: Pick<OpenedConsole, 'page' | 'context' | 'complaints' | 'origins' | 'h'>,
  name: string,
  { prepare }: CheckOptions = {},
): Promise<void> {
  const { page, context, h } = opened;
  const show = async ({ language, theme, width }: (typeof looks)[number]) => {
    await context.addCookies([
      { name: 'cidermill_language', value: language, url: h.siteUrl },
      { name: 'cidermill_theme', value: theme, url: h.siteUrl },
    ]);
    await page.setViewportSize({ width, height: width < 800 ? 844 : 900 });
    await page.reload();
    await settled(opened);
    await prepare?.(page);
    await page.evaluate(REST);
  };
  // axe takes minutes in a slow browser.
  for (const look of isSlow ? looks.slice(1, 2) : looks) {
    await show(look);
    const what = `${name}-${look.language}-${look.theme}-${look.width}`;
    if (shots) await page.screenshot({ path: `${shots}/${what}.png`, fullPage: true });
    if (!isSlow) {
      const found = await violations(page);
      // A report may show names only.
      t.same(found, [], [`${what}: axe`, ...found.map((one) => one.split(':')[0])].join(' '));
    }
    const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    t.ok(Number(hidden) <= 0, `${what}: ${hidden} px to scroll to the side for`);
    // Behind a dialog the heading has no role.
    t.equal(await page.locator('h1').count(), 1, `${what}: one main heading`);
    t.equal(await page.locator('html').getAttribute('lang'), look.language, `${what}: language`);
  }
  t.same(opened.complaints, [], `${name}: the browser complains of nothing`);
  t.same([...opened.origins], [h.siteUrl], `${name}: requests go to the service only`);
  if (isSlow) await show(looks[3]);
}

/** Returns a line for each element that breaks a rule of axe. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations: found } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: readonly {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }[];
  };
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
