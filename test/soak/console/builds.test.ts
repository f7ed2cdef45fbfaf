// The list of builds, one build, the queue, and a build that is shared with a link.
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { openPage } from '../../harness/console/browser.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole, settled } from '../../harness/console/open-console.js';
import { gate } from '../../harness/gate.js';
import { until } from '../../harness/until.js';
import { everyState, failedBuild, inScript, submit } from './building.js';

const MINUTE = 60_000;

async function start(t: Test) {
  const c = await openConsole(t, { role: 'developer' });
  return { c, ...(await everyState(c.h)) };
}

t.test('the list of builds', async (t) => {
  const { c, host, failed, running, waiting } = await start(t);
  const { page } = c;
  await c.open('/builds');
  await checkPage(t, c, 'builds');
  const rows = page.getByRole('row');
  t.equal(await rows.count(), 7, 'six builds and the header');

  await page.getByLabel('Status').click();
  await page.getByRole('option', { name: 'failed' }).click();
  await page.waitForURL(/[?&]status=failed/);
  await page.getByText("cannot find 'totl' in scope").waitFor();
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).fill('release/2.1');
  await page.waitForURL(/[?&]q=release/);
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.reload();
  await settled(c);
  t.equal(await page.getByRole('searchbox').inputValue(), 'release/2.1', 'the filter is in the address');
  await page.getByRole('searchbox').fill('nothing like this');
  await page.getByText('No build matches these filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await rows.nth(6).waitFor();

  // The list follows what happens.
  await host.finish(running);
  await host.start();
  const first = page.getByRole('row', { name: /succeeded/ });
  await first.nth(1).waitFor();

  await c.h.call('POST', `/builds/${waiting}/cancel`);
  await page
    .getByRole('button', { name: /^Run again/ })
    .first()
    .click();
  await page.waitForURL(/\/builds\/rb_/);
  await page.getByRole('heading', { level: 1, name: /xcodebuild test/ }).waitFor();
  t.not(page.url().split('/').at(-1), failed, 'another build than the one that failed');
});

t.test('without builds, and without the service', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  await c.open('/builds');
  await c.page.getByText('No builds yet').waitFor();
  await checkPage(t, c, 'builds-empty');
  await c.open('/builds?repo=acme%2Fother&from=2026-03-01');
  t.equal(await c.page.getByLabel('Repository').inputValue(), 'acme/other', 'filters in use are open');
  await checkPage(t, c, 'builds-filters');
  await c.open('/builds');
  await c.page.route('**/agent/builds?*', (route) => route.abort());
  await c.page.reload();
  await c.page.getByText('The service cannot be reached.').waitFor();
  await c.page.unroute('**/agent/builds?*');
  await c.page.getByRole('button', { name: 'Try again' }).click();
  await c.page.getByText('No builds yet').waitFor();
});

t.test('a build that has failed', async (t) => {
  const { c, failed } = await start(t);
  const { page, h } = c;
  await page.goto(`${h.siteUrl}/builds/${failed}`);
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}/builds/${failed}`);
  await settled(c);
  await page.getByRole('heading', { name: 'Why it failed' }).waitFor();
  await checkPage(t, c, 'build-failed');
  await page.getByRole('button', { name: /^Show lines 139 to 143/ }).click();
  await page.waitForURL(/#L139/);

  await page.getByRole('tab', { name: 'Artifacts' }).click();
  await page.getByText('reports/junit.xml').waitFor();
  await checkPage(t, c, 'build-artifacts');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download reports/junit.xml' }).click(),
  ]);
  t.equal(download.suggestedFilename(), 'junit.xml', 'name of the downloaded file');
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByText('build.failed').waitFor();
  await checkPage(t, c, 'build-events');
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByText('the key read+build+manage').waitFor();
  await checkPage(t, c, 'build-details');
  await page.getByRole('button', { name: /^Show lines 139 to 143/ }).click();
  await page.waitForURL(/#L139/);
  await page.getByText("cannot find 'totl' in scope").nth(2).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Raw JSON' }).click();
  await page.getByRole('dialog').getByText('"compile_error"').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(failed));
  await page.getByText(/^Running for/).waitFor();

  await c.open('/builds/rb_none');
  await page.getByRole('heading', { name: 'Build not found' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await settled(c);
  const { errors } = (await h.call('GET', '/errors?code=build_not_found')).json();
  t.equal(errors.length, 1, 'an unknown build is one entry of the errors');
});

t.test('a build that waits, runs and is cancelled', async (t) => {
  const { c, host, running, behind } = await start(t);
  const { page } = c;
  await c.open(`/builds/${behind}`);
  await page.getByText(/number 2 in the queue/).waitFor();
  await checkPage(t, c, 'build-waiting');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to the front' }).click();
  await page.getByText(/number 1 in the queue/).waitFor();

  await c.open(`/builds/${running}`);
  await page.getByText(/^Running for/).waitFor();
  await checkPage(t, c, 'build-running');
  await host.output(running, 'a line that has just come in\n');
  await page.getByText('a line that has just come in').waitFor();
  await page.getByRole('button', { name: 'Cancel build' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This will be lost:').waitFor();
  await checkPage(t, c, 'build-cancel', {
    async prepare() {
      await page.getByRole('button', { name: /^(Cancel build|빌드 취소)$/ }).click();
      await dialog.waitFor();
    },
  });
  await dialog.getByRole('button', { name: 'Cancel build' }).click();
  await page.getByText('is being canceled').waitFor();
  await host.finish(running, { outcome: 'stopped', stop_reason: 'cancelled_by_user' });
  await page.getByText('Ended because it was canceled.').waitFor();
});

t.test('when a build is expected to start is said in the same way everywhere', async (t) => {
  const { c, behind } = await start(t);
  for (const path of ['/', '/queue', '/builds', `/builds/${behind}`]) {
    await c.open(path);
    const said = c.page.getByRole('main').getByText(/starts in about \d+ (s|min|h)/);
    await said.first().waitFor();
  }
});

t.test('the queue', async (t) => {
  const { c, running, behind } = await start(t);
  const { page } = c;
  await c.open('/queue');
  await checkPage(t, c, 'queue');
  await page
    .getByRole('listitem')
    .getByRole('link', { name: /running since/ })
    .waitFor();
  const waiting = page.getByRole('table', { name: 'Waiting (2)' });
  await waiting.getByRole('row').nth(2).getByText('release/2.1').waitFor();
  await waiting
    .getByRole('button', { name: /^Move to the front/ })
    .nth(1)
    .click();
  await waiting.getByRole('row').nth(1).getByText('release/2.1').waitFor();
  await waiting
    .getByRole('button', { name: /^Cancel build/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel build' }).click();
  await page.getByRole('table', { name: 'Waiting (1)' }).waitFor();
  t.equal(
    (await c.h.call('GET', `/builds/${behind}`)).json().status,
    'cancelled',
    'the first one in the queue is cancelled',
  );
  await page
    .getByRole('listitem')
    .getByRole('link', { name: /running since/ })
    .click();
  await page.waitForURL(new RegExp(running));
});

t.test('an empty queue', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  await c.open('/queue');
  await c.page.getByText('No Macs yet').waitFor();
  await checkPage(t, c, 'queue-no-macs');
  await startBuildHost(c.h, { macs: 1 });
  await c.page.getByText('The queue is empty').waitFor();
});

t.test('what changes while answers are under way', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  const { open: openStream, opened: mayOpen } = gate();
  await page.route('**/live', (route) => mayOpen.then(() => route.continue()));
  await c.open('/secrets');
  await h.call('PUT', '/secrets/MATCH_PASSWORD', { body: { value: 'correct horse' } });
  openStream();
  await page.getByRole('rowheader', { name: 'MATCH_PASSWORD' }).waitFor();

  const failed = await failedBuild(h, await startBuildHost(h, { macs: 1 }));
  await page.unroute('**/live');
  // Only the answers of requests say what has changed.
  await page.route('**/live', (route) => route.abort());
  await page.route('**/rerun', async (route) => {
    const response = await route.fetch();
    const { id } = await response.json();
    await until(async () => (await h.call('GET', `/builds/${id}`)).json().status === 'running', 'it runs');
    await route.fulfill({ response });
  });
  await c.open(`/builds/${failed}`);
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(failed));
  await page.getByText(/^Running for/).waitFor();
});

t.test('open pages notice that a build falls silent, and that it prints again', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  const host = await startBuildHost(h, { macs: 1 });
  const id = await submit(h);
  await inScript(h, host, id);
  await host.output(id, 'compiling\n');
  const list = await c.context.newPage();
  const listStream = list.waitForResponse(/\/live/);
  await list.goto(`${h.siteUrl}/o/${c.slug}/builds`);
  await Promise.all([settled({ page: list }), listStream]);

  await page.clock.install({ time: h.clock.now() });
  const stream = page.waitForResponse(/\/live/);
  await c.open(`/builds/${id}`);
  await stream;
  await page.getByText(/^Running for/).waitFor();
  t.equal(await page.getByText(/no output for/).count(), 0);

  // The pages' own time does not follow: they hear of `build.stalled`.
  const readAgain = list.waitForResponse(/\/agent\/builds\?/);
  await h.clock.advance(11 * MINUTE);
  await page.getByText(/no output for 11 min/).waitFor();
  await readAgain;

  // The silence grows on the page by itself: no answer of the service comes meanwhile.
  const { open: answer, opened: answers } = gate();
  await page.route(new RegExp(`/agent/builds/${id}$`), async (route) => {
    await answers;
    await route.continue();
  });
  await page.clock.fastForward(2 * MINUTE);
  await page.getByText(/no output for 13 min/).waitFor();

  // Output ends it without an event, so the page asks again and again.
  await host.output(id, 'linking\n');
  answer();
  await until(async () => {
    await page.clock.fastForward(MINUTE);
    return (await page.getByText(/no output for/).count()) === 0;
  }, 'the page sees the output');
  await page.getByText(/^Running for/).waitFor();
});

t.test('a link shows a build without a session', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const host = await startBuildHost(c.h, { macs: 1 });
  const failed = await failedBuild(c.h, host);
  await c.open(`/builds/${failed}`);
  await c.page.getByRole('button', { name: 'Share' }).click();
  await c.page.getByRole('button', { name: 'Create the link' }).click();
  const link = await c.page.getByRole('region', { name: 'Link' }).innerText();
  await checkPage(t, c, 'build-share', {
    async prepare(page) {
      await page.getByRole('button', { name: /^(Share|공유)$/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  });

  const opened = await openPage(t);
  const visitor = { ...opened, h: c.h };
  await opened.page.goto(link.trim());
  await settled(visitor);
  await opened.page.getByRole('heading', { name: 'Why it failed' }).waitFor();
  await checkPage(t, visitor, 'build-shared');
  await opened.page.getByRole('tab', { name: 'Artifacts' }).click();
  const [download] = await Promise.all([
    opened.page.waitForEvent('download'),
    opened.page.getByRole('button', { name: 'Download reports/junit.xml' }).click(),
  ]);
  t.equal(download.suggestedFilename(), 'junit.xml', 'name of the downloaded file');
  t.equal(await opened.page.getByRole('button', { name: 'Run again' }).count(), 0, 'no actions');
  t.equal(await opened.page.getByRole('tab', { name: 'Events' }).count(), 0, 'no events');

  await c.page.getByRole('button', { name: 'Withdraw all links' }).click();
  await c.page.getByText('All links to this build are withdrawn.').waitFor();
  await opened.page.reload();
  await opened.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();

  await opened.page.goto(`${c.h.siteUrl}/shared/forged`);
  await opened.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});
