// The pictures of the documents: `npm run pictures` writes them into docs/pictures/. They are of a real service in this
// process and a real browser, at a fixed time.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { withPalette } from '../../../tools/pictures/palette.js';
import { openConsole, settled } from '../../harness/console/open-console.js';
import { DAY } from '../../harness/renting.js';
import { problems, studio } from './studio.js';

const MOST_BYTES = 100_000;

t.test('ten pictures of a studio', async (t) => {
  const folder = process.env.CIDERMILL_PICTURES ?? t.testdir();
  mkdirSync(folder, { recursive: true });
  const c = await openConsole(t, {
    role: 'owner',
    operator: true,
    width: 1_280,
    harness: { limits: { operator_session_idle_ms: 10 * DAY } },
  });
  const { page, context, h } = c;
  await h.store.run(`UPDATE users SET name = 'Ada Lovelace' WHERE email = 'ada@example.com'`, {});
  const { failed, running, unpaid, others } = await studio(h);
  const pictures: string[] = [];
  const take = async (name: string, path: string, { width = 1_280, height = 800 } = {}) => {
    await page.setViewportSize({ width, height });
    await c.open(path);
    // The page of a payment is not live.
    if ((await page.locator('[data-live]').count()) > 0) await page.locator('[data-live="open"]').first().waitFor();
    await settled(c);
    // The pointer and the focus are not part of a picture.
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement?.blur()');
    await page.waitForTimeout(300);
    const file = join(folder, `${name}.png`);
    writeFileSync(file, withPalette(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
    t.ok(statSync(file).size <= MOST_BYTES, `${name}: ${statSync(file).size} bytes`);
    pictures.push(name);
  };
  await c.open('/');
  await page.getByRole('button', { name: 'Hide' }).click();
  await take('overview', '/');
  await take('builds', '/builds');
  await take('build', `/builds/${running}`);
  await take('failure', `/builds/${failed}`);
  await take('rent', '/rent?units=2&days=7');
  await take('pay', `//pay/${unpaid}`);
  await take('macs', '/macs');
  await take('calendar', '//operator/calendar');
  await problems(h, others.hostId);
  await take('fleet', '//operator');
  await context.addCookies([
    { name: 'cidermill_language', value: 'ko', url: h.siteUrl },
    { name: 'cidermill_theme', value: 'dark', url: h.siteUrl },
  ]);
  await take('korean-dark-phone', '/builds', { width: 390, height: 844 });
  t.equal(new Set(pictures).size, 10);
});
