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

/**
 * How a page is loaded. Tests go on in the last one, in the last theme. The first one is for what `prepare` opens: at which
 * width the page itself fits, `widths.test.ts` checks in both languages.
 */
const loads = [
  { language: 'en', width: 390, forAxe: false },
  { language: 'ko', width: 390, forAxe: true },
  { language: 'en', width: 1_280, forAxe: true },
] as const;

/** A page is loaded in the first one. The other one has other colors, and nothing else: it needs neither a load nor all rules. */
const themes = ['dark', 'light'] as const;
const rulesOfColors = ['color-contrast', 'link-in-text-block'] as const;

/**
 * Ends every animation but endless ones, and resolves when none has run for two frames, after 60 frames at most. What
 * opens keeps the style it starts from, and has no animation yet, until a frame has been drawn. A browser that is kept
 * from its work draws no frame for seconds: an animation that waits for one keeps the colors it started from.
 */
const REST = `(async () => {
  const frame = () => new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 50);
  });
  const running = () =>
    document.getAnimations().filter(
      (one) => one.playState === 'running' && one.effect?.getTiming().iterations !== Infinity,
    );
  const moves = () => document.querySelector('[data-starting-style], [data-ending-style]') !== null;
  for (let still = 0, frames = 0; still < 2 && frames < 60; frames += 1) {
    await frame();
    const ended = running();
    for (const one of ended) one.finish();
    still = ended.length > 0 || moves() ? 0 : still + 1;
  }
})()`;

/** Resolves with the pixels to scroll to the side for. A page that was resized may take some frames to change its form. */
const HIDDEN = `(async () => {
  const hidden = () => document.documentElement.scrollWidth - innerWidth;
  for (let tries = 0; tries < 20 && hidden() > 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  return hidden();
})()`;

export interface CheckOptions {
  /** Brings the page into the state to check after each load, e.g. opens a dialog. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/**
 * Loads the present address in Korean on a phone and in English on a desktop, and checks each in both themes: no violation
 * that axe finds, no error of the browser, no violation of the content security policy, no request to another origin,
 * nothing to scroll to the side for. Ends in English, light, 1280 px wide.
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
  const remember = (of: string, value: string) =>
    context.addCookies([{ name: `cidermill_${of}`, value, url: h.siteUrl }]);
  const resize = (width: number) => page.setViewportSize({ width, height: width < 800 ? 844 : 900 });
  const load = async ({ language, width }: (typeof loads)[number]) => {
    await remember('language', language);
    await remember('theme', themes[0]);
    await resize(width);
    await page.reload();
    await settled(opened);
    await prepare?.(page);
    await page.evaluate(REST);
  };
  const show = async (theme: (typeof themes)[number]) => {
    await remember('theme', theme);
    await page.evaluate(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`);
    await page.evaluate(REST);
  };
  const fits = async (what: string) => {
    const hidden = await page.evaluate(HIDDEN);
    t.ok(Number(hidden) <= 0, `${what}: ${hidden} px to scroll to the side for`);
  };
  const checkTheme = async (theme: (typeof themes)[number], what: string) => {
    if (theme !== themes[0]) await show(theme);
    if (shots) await page.screenshot({ path: `${shots}/${what}.png`, fullPage: true });
    // axe takes minutes in a slow browser.
    if (isSlow) return;
    const found = await violations(page, theme === themes[0] ? null : rulesOfColors);
    // A report may show names only.
    t.same(found, [], [`${what}: axe`, ...found.map((one) => one.slice(0, 200))].join(' '));
  };
  for (const one of loads.slice(isSlow ? 2 : prepare ? 0 : 1)) {
    await load(one);
    const { language, width, forAxe } = one;
    const what = `${name}-${language}`;
    if (forAxe) for (const theme of themes) await checkTheme(theme, `${what}-${theme}-${width}`);
    await fits(`${what}-${width}`);
    // Behind a dialog the heading has no role.
    t.equal(await page.locator('h1').count(), 1, `${what}: one main heading`);
    t.equal(await page.locator('html').getAttribute('lang'), language, `${what}: language`);
    if (language === 'en') continue;
    await resize(1_280);
    await fits(`${what}-1280`);
  }
  t.same(opened.complaints, [], `${name}: the browser complains of nothing`);
  t.same([...opened.origins], [h.siteUrl], `${name}: requests go to the service only`);
}

/**
 * Returns a line for each element that breaks a rule of axe.
 *
 * @param only the rules; null: all
 */
export async function violations(page: Page, only: readonly string[] | null = null): Promise<string[]> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(only ? { runOnly: { type: 'rule', values: only } } : {}) };
  const { violations: found } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
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
