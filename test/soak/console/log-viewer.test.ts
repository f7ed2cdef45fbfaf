// The log on a build's page: a million lines, everything that a program can print, and output as it comes.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { gate } from '../../harness/gate.js';
import { PASSWORD } from '../../harness/harness.js';

const PIECE = 1024 * 1024;
const E = '\x1b[';

async function openLog(t: Test, lines: readonly string[]) {
  const c = await openConsole(t, { width: 1_280 });
  await c.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const host = await startBuildHost(c.h, { macs: 1 });
  const { id } = (await c.h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await host.start();
  const log = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < log.length; at += PIECE) await host.output(id, log.subarray(at, at + PIECE));
  const open = (hash = '') => c.open(`/builds/${id}${hash}`);
  return { ...c, host, id: id as string, openBuild: open, ...partsOf(c.page) };
}

const partsOf = (page: Page) => ({
  log: page.getByRole('group', { name: /^(Log|로그)$/ }),
  line: (n: number) => page.locator(`[data-line="${n}"]`),
  search: page.getByRole('textbox', { name: /Search the log|로그에서 찾기/ }),
  status: page.getByRole('search').getByRole('status'),
  hash: () => page.evaluate('location.hash'),
});

t.test('a million lines: everywhere in it, searched, and linked to', async (t) => {
  const count = 1_000_000;
  const lines = Array.from({ length: count }, (_, i) =>
    (i + 1) % 1_000 === 0 ? `${E}33mwarning: thousand ${i + 1}${E}0m` : `[${i + 1}] Compiling File${i % 1013}.swift`,
  );
  const { page, log, line, search, status, hash, host, id, openBuild, h, complaints } = await openLog(t, lines);
  await openBuild();
  await line(count).getByText(`thousand ${count}`).waitFor();
  await log.focus();
  await page.keyboard.press('g');
  await line(1).getByText('[1] Compiling').waitFor();
  await page.keyboard.press('G');
  await line(count).getByText(`thousand ${count}`).waitFor();

  await page.setViewportSize({ width: 1_280, height: 500 });
  await openBuild('#L500000-L500002');
  await line(500_001).getByText('[500001]').waitFor();
  t.ok(((await line(500_001).boundingBox())?.y ?? 500) < 480, 'in the window of the page');
  await page.setViewportSize({ width: 1_280, height: 900 });
  // More rows are rendered, and their elements stand for other lines than before.
  await line(500_025).waitFor();
  t.equal(await line(500_002).getAttribute('aria-selected'), 'true');
  t.equal(await line(500_003).getAttribute('aria-selected'), null);
  await line(500_004).getByRole('link').click();
  await line(500_007)
    .getByRole('link')
    .click({ modifiers: ['Shift'] });
  t.equal(await hash(), '#L500004-L500007');
  await page.getByRole('button', { name: 'Copy 4 lines' }).click();
  await page.getByText('Copied').waitFor();
  t.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    lines
      .slice(500_003, 500_007)
      .map((text) => `${text}\n`)
      .join(''),
    'without numbers',
  );
  await page.reload();
  await line(500_005).getByText('[500005]').waitFor();
  t.equal(await line(500_007).getAttribute('aria-selected'), 'true', 'a reload keeps the lines');

  await log.focus();
  await page.keyboard.press('/');
  await page.keyboard.type('Thousand');
  await status.getByText('500 of 1,000').waitFor();
  await page.keyboard.press('Enter');
  await status.getByText('501 of 1,000').waitFor();
  await line(501_000)
    .locator('span', { hasText: /^thousand$/ })
    .waitFor();
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await status.getByText('499 of 1,000').waitFor();
  await search.fill('nothing of this kind');
  await status.getByText('No matching line').waitFor();
  await page.keyboard.press('Escape');

  // The scroll bar in small and in large steps.
  await page.evaluate(
    'for (const log of document.querySelectorAll("[role=group][aria-label=Log]")) log.scrollTop = log.scrollHeight / 4',
  );
  await page.locator('[data-line^="2500"]').first().waitFor();
  await log.hover();
  for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 200);
  t.ok((await page.locator('[role=row]').count()) < 120, 'few rows exist');
  await page.keyboard.press('w');
  await page.keyboard.press('G');
  await line(count).getByText(`thousand ${count}`).waitFor();

  t.equal(await host.output(id, 'the end\n'), Buffer.byteLength(`${lines.join('\n')}\nthe end\n`));
  await host.finish(id);
  await h.clock.advance(1_000);
  await line(count + 1)
    .getByText('the end')
    .waitFor();
  await page.getByText('1,000,001 lines').waitFor();
  t.same(complaints, []);
});

t.test('what programs print, in four looks', async (t) => {
  const colors = Array.from({ length: 16 }, (_, i) => {
    const [front, back] = i < 8 ? [30 + i, 40 + i] : [82 + i, 92 + i];
    return `${E}${front}mtext ${i}${E}0m ${E}${back}m on ${E}0m ${E}38;5;${17 + i * 14}mpalette${E}0m ${E}38;2;20;${i * 16};120mtrue${E}0m ${E}7minverse${E}0m ${E}2mdim${E}0m`;
  });
  const lines = [
    '##[group]Colors',
    ...colors,
    '##[endgroup]',
    'Fetching 10%\rFetching 50%\rFetching 100%',
    'See https://example.com/docs(1). http://example.com is no link.',
    '한국어 로그 줄입니다 日本語 |',
    `${'x'.repeat(3_000)}`,
    `${'y'.repeat(20_000)}`,
    "CompileSwift normal arm64 /App/Cart.swift (in target 'App' from project 'Shop')",
    '    cd /App',
    "/App/Cart.swift:12:9: error: cannot find 'totl' in scope",
    '<script>document.title = "owned"</script><img src=x onerror=alert(1)>',
  ];
  const c = await openLog(t, lines);
  const { page, line, log, hash } = c;
  await c.openBuild('#L20-L21');
  await line(20).waitFor();
  await checkPage(t, c, 'log');
  await line(1).getByRole('button').waitFor();
  t.equal(await line(19).getByRole('cell').textContent(), 'Fetching 100%');
  t.equal(await line(20).getByRole('cell').getByRole('link').count(), 1);
  const link = line(20).getByRole('cell').getByRole('link');
  t.equal(await link.getAttribute('href'), 'https://example.com/docs(1)');
  t.match(await link.getAttribute('rel'), /noopener/);
  t.equal(await line(27).getByRole('cell').textContent(), lines[26]);
  t.notMatch(await page.title(), 'owned');
  await line(1).getByRole('button').click();
  await line(1).getByText('17 lines folded').waitFor();
  t.equal(await line(2).count(), 0);
  await page.evaluate('location.hash = "#L5"');
  await line(5).waitFor();
  t.equal(await line(1).getByRole('button').getAttribute('aria-expanded'), 'true', 'a link unfolds');
  await line(22).getByRole('button', { name: 'Show 1,000 more characters' }).click();
  await line(23).getByRole('button').click();
  t.match(await line(23).textContent(), /The line is cut here/);
  await log.focus();
  await page.keyboard.press('t');
  await line(2)
    .getByText(/^\d\d:\d\d:\d\d\.\d{3}$/)
    .waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  t.equal(await hash(), '#L6-L7');
  await page.keyboard.press('z');
  const box = await log.boundingBox();
  t.equal(box?.width, 1_280, 'full screen');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  t.equal(await hash(), '', 'Escape clears the selection, then leaves full screen');
  t.ok(((await log.boundingBox())?.width ?? 0) < 1_280);
});

t.test('output as it comes, scrolled away from, and a log that is gone', async (t) => {
  const first = Array.from({ length: 200 }, (_, i) => `line ${i + 1}`);
  const { page, log, line, host, id, openBuild, h } = await openLog(t, first);
  await openBuild();
  await line(200).getByText('line 200').waitFor();
  await host.output(id, 'line 201\n50% ');
  await line(202).getByText('50%').waitFor();
  await host.output(id, '100%\n');
  await line(202).getByText('50% 100%').waitFor();
  await log.hover();
  await page.mouse.wheel(0, -1_000);
  await page.getByRole('button', { name: 'Go to the end' }).waitFor();
  await line(150).waitFor();
  await host.output(id, 'line 203\nline 204\nline 205\n');
  await page.getByRole('button', { name: '3 new lines' }).click();
  await line(205).getByText('line 205').waitFor();
  await host.output(id, 'line 206\n');
  await line(206).getByText('line 206').waitFor();
  const { open: letPass, opened: clicked } = gate();
  let asked = 0;
  await page.route('**/log?*', async (route) => {
    if (asked++ === 0) return route.fulfill({ status: 500, body: '{}' });
    // The viewer also tries again by itself, after which there is no button.
    await clicked;
    return route.fallback();
  });
  await openBuild();
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).dispatchEvent('click');
  letPass();
  await line(206).getByText('line 206').waitFor();

  await host.finish(id);
  await h.store.run('UPDATE builds SET log_deleted_at = :at WHERE build_id = :id', { at: h.clock.now(), id });
  await openBuild();
  await page
    .getByText(/log .*deleted/i)
    .first()
    .waitFor();
});

t.test('a tab in the background, a network that is gone, a log that is deleted while it is open', async (t) => {
  const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);
  const { page, log, line, host, id, openBuild, h, context } = await openLog(t, numbered(1, 3_000));
  const setVisible = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  const waiting = page.waitForRequest(/\/log\?from_line=3001&.*wait=/);
  await openBuild();
  await line(3_000).waitFor();
  await waiting;

  await setVisible('hidden');
  // The request that waited when the tab was left.
  await host.output(id, `${numbered(3_001, 3_001).join('\n')}\n`);
  await line(3_001).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/log?')) requests.push(request.url());
  });
  for (let n = 3_002; n <= 120_000; n += 1_000)
    await host.output(id, `${numbered(n, Math.min(120_000, n + 999)).join('\n')}\n`);
  t.same(requests, [], 'nothing is read for nobody');
  await setVisible('visible');
  await line(120_000).getByText('line 120000').waitFor();
  t.ok(requests.length < 20, `${requests.length} requests, not one for each page`);

  await context.setOffline(true);
  await host.output(id, 'line 120001\n');
  await page.getByRole('alert').first().waitFor();
  await host.output(id, 'line 120002\n');
  await context.setOffline(false);
  await line(120_002).getByText('line 120002').waitFor();
  await host.output(id, 'line 120003\n');
  await line(120_003).getByText('line 120003').waitFor();
  await page.getByRole('alert').first().waitFor({ state: 'detached' });

  await host.finish(id);
  await page
    .getByRole('region', { name: 'Log of the build' })
    .getByText('Live', { exact: true })
    .waitFor({ state: 'detached' });
  await log.focus();
  await h.store.run('UPDATE builds SET log_deleted_at = :at WHERE build_id = :id', {
    at: h.clock.now(),
    id,
  });
  await page.keyboard.press('g');
  await page.getByText('The log has been deleted').waitFor();
});

t.test('a session that ends while a log is followed asks to sign in over the page', async (t) => {
  const { page, line, host, id, openBuild, h } = await openLog(t, ['first']);
  await openBuild();
  await line(1).waitFor();
  await h.store.run('DELETE FROM sessions', {});
  await host.output(id, 'second\n');
  const dialog = page.getByRole('dialog', { name: 'You are signed out' });
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await line(2).waitFor();
  t.equal(await dialog.count(), 0);
});
