// Frames of the log viewer on a log of 1,000,000 lines, in Chromium: scrolled by wheel, by its scroll bar, and while 1,000
// lines a second come in. The limit is an empty element that is as tall and is scrolled in the same way. The longest task is
// in processor time of the page's main thread, which other programs change little. `--check` fails when the viewer needs half
// as long again, or when a task takes longer than two frames.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { startBuildHost } from '../test/harness/build-host.js';
import { startListening } from '../test/harness/console/listening.js';
import { startBrowser } from './browser.js';
import { type Figure, print, ratio } from './report.js';

const LINES = 1_000_000;
const PIECE = 1024 * 1024;
/** Frames of each measurement, about five seconds. */
const FRAMES = 300;
const TWO_FRAMES_MS = 33;

const ends: (() => unknown)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'log-viewer-'));
const scope = {
  testdir: () => folder,
  teardown: (end: () => unknown) => void ends.unshift(end),
} as unknown as Test;

/** Intervals between frames, in ms, while the page is scrolled. `move` is called before each frame. */
const measure = `async (frames, move) => {
  const intervals = [];
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < frames; frame++) {
    move(frame);
    const now = await new Promise(requestAnimationFrame);
    intervals.push(now - last);
    last = now;
  }
  return intervals;
}`;
const none = '() => {}';
/** The whole bar, down and up. */
const drag = `((element) => (frame) => {
  const share = Math.abs(((frame * 2) / ${FRAMES}) - 1);
  element.scrollTop = share * (element.scrollHeight - element.clientHeight);
})(document.querySelector('[data-scroller]'))`;

const intervals = (page: Page, move: string): Promise<number[]> =>
  page.evaluate(`(${measure})(${FRAMES}, ${move})`) as Promise<number[]>;

/** A wheel turned as fast as a person does, on real input events. */
async function wheel(page: Page): Promise<number[]> {
  const { x, y, width, height } = (await page.locator('[data-scroller]').boundingBox()) ?? never();
  await page.mouse.move(x + width / 2, y + height / 2);
  let turning = true;
  const turn = (async () => {
    for (let i = 0; turning; i++) {
      await page.mouse.wheel(0, i % 120 < 80 ? 120 : -120);
      await setTimeout(8);
    }
  })();
  const found = await intervals(page, none);
  turning = false;
  await turn;
  return found;
}

/** What Chromium's tracing says of a task. Times in µs. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  /** Processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns what was measured, and the longest task of a page's main thread in ms. */
async function withTasks(page: Page, run: () => Promise<number[]>) {
  const tracing = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  tracing.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await tracing.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  const found = await run();
  const complete = new Promise((resolve) => tracing.once('Tracing.tracingComplete', resolve));
  await tracing.send('Tracing.end');
  await complete;
  await tracing.detach();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = events.filter((each) => each.name.endsWith('RunTask') && pages.has(threadOf(each)));
  if (tasks.length === 0) throw new Error('Chromium reported no tasks');
  const longest = Math.max(...tasks.map(({ dur = 0, tdur = 0 }) => Math.min(dur, tdur))) / 1_000;
  return { intervals: found, longest };
}

function never(): never {
  throw new Error('the page has no log');
}

const at = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

type Measured = Awaited<ReturnType<typeof withTasks>>;

function figuresOf(name: string, measured: Measured, limit: readonly number[]): Figure[] {
  const { intervals: ours, longest } = measured;
  const task = { name: `${name}, longest task`, value: longest, unit: 'ms', ratio: null };
  const frames = (
    [
      ['p50', 0.5],
      ['p95', 0.95],
      ['worst', 1],
    ] as const
  ).flatMap(([label, share]) => [
    {
      name: `${name}, ${label}`,
      value: at(ours, share),
      unit: 'ms',
      ratio: ratio(at(ours, share), at(limit, share)),
    },
    { name: '  an empty element', value: at(limit, share), unit: 'ms', ratio: 1 },
  ]);
  return [...frames, task];
}

const h = await startListening(scope);
const host = await startBuildHost(h, { macs: 1 });
const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
await host.start();
const line = (n: number) => `[${n}] Compiling \x1b[3${n % 8}mModule${n % 97}\x1b[0m Sources/File${n % 1013}.swift\n`;
const log = Buffer.from(Array.from({ length: LINES }, (_, i) => line(i + 1)).join(''));
for (let offset = 0; offset < log.length; offset += PIECE) await host.output(id, log.subarray(offset, offset + PIECE));

const mark = `document.querySelector('[role=group] > div').parentElement.dataset.scroller = ''`;
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
const [name = '', value = ''] = (await h.signIn('owner', { email: 'ada@example.com' })).split('=');
await context.addCookies([{ name, value, url: h.siteUrl }]);
const page = await context.newPage();
await page.goto(`${h.siteUrl}/o/apple-press/builds/${id}`);
await page.locator('[data-line="1000000"]').waitFor();
await page.evaluate(mark);

const blank = await context.newPage();
await blank.setContent(
  '<div data-scroller style="overflow: auto; height: 648px; background: white"><div style="height: 4000000px"></div></div>',
);
const figures: Figure[] = [];
const limits = {
  wheel: await wheel(blank),
  drag: await intervals(blank, drag),
  still: await intervals(blank, none),
};
await page.bringToFront();
figures.push(...figuresOf('wheel', await withTasks(page, () => wheel(page)), limits.wheel));
figures.push(...figuresOf('scroll bar', await withTasks(page, () => intervals(page, drag)), limits.drag));
await page.locator('[data-scroller]').focus();
await page.keyboard.press('End');
await page.locator(`[data-line="${LINES}"]`).waitFor();
let growing = true;
const grow = (async () => {
  for (let n = LINES; growing; n += 100) {
    await host.output(id, Array.from({ length: 100 }, (_, i) => line(n + i + 1)).join(''));
    await setTimeout(100);
  }
})();
const followed = await withTasks(page, () => intervals(page, none));
figures.push(...figuresOf('1,000 lines a second', followed, limits.still));
growing = false;
await grow;
print(`log-viewer: frames of a log of ${LINES} lines`, figures);
await browser.close();
for (const end of ends) await end();
rmSync(folder, { recursive: true, force: true });
const slow = figures.filter(
  ({ name, value, ratio: times }) =>
    (/p95/.test(name) && (times ?? 0) > 1.5) || (/task/.test(name) && value > TWO_FRAMES_MS),
);
if (process.argv.includes('--check') && slow.length > 0) {
  process.stderr.write(`too slow: ${slow.map(({ name }) => name).join(', ')}\n`);
  process.exit(1);
}
process.exit(0);
