// What the viewer shows in another way than as text: groups, lines of the service, steps; and links to lines.
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { openPage } from '../../harness/console/browser.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole, settled } from '../../harness/console/open-console.js';
import { submit } from './building.js';

const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

async function start(t: Test) {
  const c = await openConsole(t, { role: 'developer' });
  const host = await startBuildHost(c.h, { macs: 1 });
  const id = await submit(c.h);
  await host.start();
  const line = (n: number) => c.page.locator(`[data-line="${n}"]`);
  return { c, host, id, line };
}

const log = [
  '::group::Dependencies',
  'resolving',
  '::group::Packages',
  `fetching ${FAMILY} needle`,
  '::endgroup::',
  'resolved',
  '::endgroup::',
  'compiling',
  '',
].join('\n');

t.test('groups in a group, and lines of the service', async (t) => {
  const { c, host, id, line } = await start(t);
  const { page } = c;
  await host.output(id, log);
  await host.output(id, '[cidermill] Collecting artifacts\n', 'service');
  await c.open(`/builds/${id}`);
  await line(9).getByText('Collecting artifacts').waitFor();
  t.notMatch(await line(9).getByRole('cell').textContent(), /\[cidermill\]/, 'the mark stands for it');
  t.equal(await line(9).getByTitle('Written by Cidermill, not by the build').count(), 1);
  t.equal(await line(1).getByRole('cell').innerText(), 'Dependencies');
  await checkPage(t, c, 'log-groups');

  await line(1).getByRole('button', { name: 'Fold this group' }).click();
  await line(1).getByText('6 lines folded').waitFor();
  t.equal(await line(3).count(), 0);
  t.equal(await line(8).count(), 1);
  await page.evaluate('location.hash = "#L4"');
  await line(4).waitFor();
  await line(3).getByRole('button', { name: 'Fold this group' }).click();
  await line(3).getByText('2 lines folded').waitFor();
  t.equal(await line(6).count(), 1, 'the outer one stays open');

  await line(1).getByRole('button', { name: 'Fold this group' }).click();
  await line(1).getByText('6 lines folded').waitFor();
  await page.locator('[role=group][aria-label=Log]').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.keyboard.press('Enter');
  await line(4).getByText('needle').waitFor();
  t.match(await line(4).getByRole('cell').textContent(), `fetching ${FAMILY} needle`);
  const pieces = await page.evaluate(
    `[...document.querySelectorAll('[data-line="4"] *')].flatMap((one) => [...one.childNodes]).map(({ data = '' }) => data)`,
  );
  t.ok(
    (pieces as string[]).some((text) => text.includes(FAMILY)),
    'in one piece: else its parts are drawn one by one',
  );
  await line(1).locator('a').first().click();
  await page.keyboard.press('o');
  await line(1).getByText('6 lines folded').waitFor();
});

t.test('steps keep pace with the log', async (t) => {
  const { c, host, id, line } = await start(t);
  const { page, h } = c;
  await host.output(id, 'first\n');
  await c.open(`/builds/${id}`);
  await line(1).waitFor();
  // The stream says nothing while the service's clock rests: what comes in with the log is enough.
  const active = (name: string) => page.locator('li[data-state="active"]', { hasText: name });
  await active('Prepare').waitFor();
  const at = h.clock.now();
  const steps = [
    { step: 'prepare', at },
    { step: 'source', at: at + 1 },
  ] as const;
  await host.facts({ build_id: id, steps: [...steps] });
  await host.output(id, '[cidermill] Checking out\n', 'service');
  await line(2).waitFor();
  await active('Source').waitFor();
  await host.facts({ build_id: id, steps: [...steps, { step: 'script', at: at + 2 }] });
  await host.output(id, 'compiling\n');
  await line(3).waitFor();
  await active('Script').waitFor();
});

t.test('a shared link opens at the selected lines, and its dialog says what it shows', async (t) => {
  const { c, host, id, line } = await start(t);
  const { page } = c;
  await host.output(id, Array.from({ length: 300 }, (_, n) => `line ${n + 1}\n`).join(''));
  await c.open(`/builds/${id}#L120-L121`);
  await line(120).waitFor();
  await page.getByRole('button', { name: 'Share' }).click();
  await page
    .getByRole('dialog')
    .getByText(/with its script, log and artifacts/)
    .waitFor();
  await page.getByRole('button', { name: 'Create the link' }).click();
  const link = (await page.getByRole('region', { name: 'Link' }).innerText()).trim();
  t.match(link, /#L120-L121$/);
  const visitor = await openPage(t);
  await visitor.page.goto(link);
  await settled(visitor);
  await visitor.page.locator('[data-line="120"][aria-selected="true"]').waitFor();
});
