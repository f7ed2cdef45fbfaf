// Every page of the console at every width: nothing to scroll to the side for, nothing cut off, no action lost.
import t from 'tap';
import type { OpenedConsole } from '../../harness/console/open-console.js';
import { openConsole, settled } from '../../harness/console/open-console.js';
import { startReceiver } from '../../harness/receiver.js';
import { DAY } from '../../harness/renting.js';
import { everyPage } from './every-page.js';
import { FAULTS } from './layout-faults.js';

const WIDTHS = [320, 390, 768, 1_024, 1_280, 1_440, 1_920];

const shots = process.env.CIDERMILL_SCREENSHOTS;

/** @param widths the page is loaded at the first, and then made wider or narrower */
async function faultsOf({ page }: OpenedConsole, widths: readonly number[], name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const faults = (await page.evaluate(FAULTS)) as string[];
    found.push(...faults.map((fault) => `${name} at ${width}: ${fault}`));
    if (shots && [320, 390, 1_280].includes(width)) {
      await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true });
    }
  }
  return found;
}

t.test('every page fits at every width, in English and in Korean', async (t) => {
  const c = await openConsole(t, {
    role: 'owner',
    operator: true,
    harness: { receivers: true, limits: { operator_session_idle_ms: 10 * DAY } },
  });
  const { url } = await startReceiver(t);
  const paths = await everyPage(c, url);
  const selections = new Set<string>();
  for (const [language, widths] of [
    ['en', WIDTHS],
    ['ko', [1_440, 1_024, 768, 390, 320]],
  ] as const) {
    await c.context.addCookies([{ name: 'cidermill_language', value: language, url: c.h.siteUrl }]);
    for (const [address, each] of Object.entries(paths)) {
      for (const [at, path] of each.entries()) {
        await c.page.setViewportSize({ width: widths[0] ?? 0, height: 900 });
        await c.page.goto(c.h.siteUrl + path);
        await settled(c);
        const name = `${language}${address.replaceAll(/[^a-z]+/g, '-')}${at === 0 ? '' : at}`;
        t.same(await faultsOf(c, widths, name), [], name);
        // What is offered for selected rows.
        const row = c.page.locator('main table [role=checkbox]:not([data-disabled])').first();
        if ((await row.count()) === 0) continue;
        await row.click();
        selections.add(address);
        t.same(await faultsOf(c, widths, `${name}-selected`), [], `${name}, with a selected row`);
      }
    }
  }
  t.same([...selections].sort(), ['/o/$org/macs', '/operator']);
});
