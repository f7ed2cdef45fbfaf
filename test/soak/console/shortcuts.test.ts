// Keyboard shortcuts: the search of a page, the list of all, and switching off those of a single key.
import type { Page } from 'playwright-core';
import t from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { submit } from './building.js';

const timeout = 180_000;

const focused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")');

t.test('a slash goes to the search of the page, and is text where text is typed', { timeout }, async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const { page, h } = c;
  const host = await startBuildHost(h, { macs: 1 });
  const id = await submit(h);
  await host.start();
  await host.output(id, 'first\nsecond\n');
  await c.open('/builds');
  const list = page.getByRole('searchbox');
  await page.keyboard.press('/');
  await page.locator('input[type=search]:focus').waitFor();
  t.equal(await list.inputValue(), '', 'the slash itself is not typed');
  await page.keyboard.type('a/b');
  t.equal(await list.inputValue(), 'a/b');
  await page.keyboard.press('?');
  t.equal(await page.getByRole('dialog').count(), 0, 'nor is there a list while something is typed');

  await c.open('/members');
  await page.locator('h1').focus();
  await page.keyboard.press('/');
  t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'a page without a search');
  await c.open('/builds');
  await page
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.locator(':focus').waitFor();
  await page.keyboard.press('/');
  t.equal(
    await page.evaluate('document.activeElement.closest("[role=dialog]") === null'),
    false,
    'not out of a dialog',
  );
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.evaluate('document.activeElement.blur()');
  await page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: '/', isComposing: true }))");
  t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'nor while an input method composes');

  await c.open(`/builds/${id}`);
  await page.locator('[data-line="2"]').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('/');
  t.equal(await focused(page), 'Search the log', 'the search of the log, from anywhere on the page');
});

t.test('the list has the shortcuts of pages and of the log', { timeout }, async (t) => {
  const c = await openConsole(t, { width: 1_280, role: 'developer' });
  const { page } = c;
  await c.open('/');
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.waitFor();
  const text = (await list.innerText()).replace(/\s+/g, ' ');
  for (const part of [
    'Ctrl K Search pages',
    '/ Search or filter',
    'Go to Builds',
    'In the log of a build',
    'n N Next',
  ]) {
    t.ok(text.includes(part), part);
  }
  t.notOk(text.includes('Go to API keys'), 'no page that the person has not');
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  // The same from the palette, for keyboards without `?`.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('shortcuts');
  await page.keyboard.press('Enter');
  await list.waitFor();
  await page.locator('[role=dialog] :focus').first().waitFor();
});

t.test('shortcuts of a single key are switched off in the settings', { timeout }, async (t) => {
  const c = await openConsole(t, { width: 1_280 });
  const { page, h } = c;
  const host = await startBuildHost(h, { macs: 1 });
  const id = await submit(h);
  await host.start();
  await host.output(id, Array.from({ length: 200 }, (_, n) => `line ${n + 1}\n`).join(''));
  await c.open('//settings');
  const choice = page.getByRole('switch', { name: 'Single-key shortcuts' });
  t.equal(await choice.getAttribute('aria-checked'), 'true');
  await choice.click();
  await checkPage(t, c, 'settings-keys');
  t.equal(await choice.getAttribute('aria-checked'), 'false', 'it stays');
  await c.open('/builds');
  for (const key of ['/', '?', 'g', 'm']) await page.keyboard.press(key);
  t.match(page.url(), /\/builds$/);
  t.equal(await page.getByRole('dialog').count(), 0);
  t.not(await page.evaluate('document.activeElement.tagName'), 'INPUT');
  await c.open(`/builds/${id}`);
  await page.locator('[data-line="200"]').waitFor();
  const log = page.getByRole('group', { name: 'Log' });
  await log.focus();
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  t.equal(await page.locator('[data-line="200"]').count(), 1, 'letters do nothing in the log');
  t.equal(await page.getByRole('button', { name: 'Wrap long lines' }).getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Home');
  await page.locator('[data-line="1"]').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('shortcuts');
  await page.keyboard.press('Enter');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('Single-key shortcuts are off.').waitFor();
  t.equal(await list.getByText('Go to Builds').count(), 0);
  await list.getByRole('link', { name: 'Change this in your settings' }).click();
  await page.waitForURL('**/settings');
  await choice.click();
  await page.keyboard.press('?');
  await list.waitFor();
});
