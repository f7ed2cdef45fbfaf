// The overview: a new organization's first steps, and a day with Macs, builds, advice and orders.

import t from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { storeSecret } from '../../harness/console/shown-once.js';
import { addHost, order } from '../../harness/renting.js';
import { submit } from '../../harness/submitting.js';

t.test('the first steps: a key, a build, a webhook', async (t) => {
  const c = await openConsole(t);
  const { h, page } = c;
  // The harness makes keys; a new organization has none.
  await h.store.run('DELETE FROM api_keys', {});
  await c.open('/');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.getByText('No Macs yet').waitFor();
  t.equal(await page.getByRole('heading', { name: 'Needs attention' }).count(), 0, 'only the list of Macs says it');
  t.equal(await page.getByText('No builds yet').count(), 0, 'the first steps have the command of a build');
  await checkPage(t, c, 'overview-new');
  await page.getByLabel('Name of the key').fill('');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByLabel('Name of the key').and(page.locator('[aria-invalid]')).waitFor();
  await page.getByLabel('Name of the key').fill('laptop');
  // The page hears that there is a key before it has the answer.
  await page.route('**/api-keys', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await page.getByText('Waiting for your first build').waitFor();
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.locator('[data-secret]').waitFor();
  const key = /cm_\w+/.exec((await page.locator('[data-secret]').textContent()) ?? '')?.[0] ?? '';
  for (const name of ['Command line', 'curl only']) {
    await page.getByRole('tab', { name }).click();
    const commands = page.getByRole('tabpanel', { name }).getByRole('region');
    t.match(await commands.textContent(), `CIDERMILL_API_KEY=${key}`, `${name}: the commands have the key`);
  }

  const manage = await h.createKey(['manage']);
  const host = await startBuildHost(h, { macs: 1 });
  const failed = await submit(h, {}, key);
  await host.start();
  await host.finish(failed.id, { exit_code: 1, reason_code: 'script_failed', fault: 'customer' });
  // The live stream sends at most one message a second of the service's clock.
  await h.clock.advance(1_000);
  await page.getByText('Your build did not succeed.').waitFor();
  t.match(
    await page.getByRole('region', { name: 'Commands of the first build' }).textContent(),
    `CIDERMILL_API_KEY=${key}`,
    'the commands are there for another attempt',
  );
  const { id } = await submit(h, {}, key);
  await h.clock.advance(1_000);
  await host.start();
  await page.getByText('Your first build is running.').waitFor();
  await host.output(id, 'hello\n');
  await host.finish(id);
  await h.clock.advance(1_000);
  await page.getByText('Your first build succeeded.').waitFor();
  await h.call('POST', '/webhooks', {
    body: { url: 'https://hooks.example.com/', events: ['build.succeeded'] },
    key: manage,
  });
  await h.clock.advance(1_000);
  await page.getByText('You are set up.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Last builds' }).waitFor();
  t.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0, 'it is gone');
  for (let n = 1; n <= 10; n++) {
    const next = await submit(h, {}, key);
    await host.start();
    await host.finish(next.id, { exit_code: 1, reason_code: 'script_failed', fault: 'customer' });
  }
  await page.reload();
  await page.getByRole('table', { name: 'Last builds' }).getByText('failed').nth(9).waitFor();
  await page.waitForLoadState('networkidle');
  t.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0, 'ten failures later, too');
  t.same(c.complaints, []);
});

t.test('nothing takes the first key away before it is stored', async (t) => {
  const c = await openConsole(t);
  const { h, page } = c;
  await h.store.run('DELETE FROM api_keys', {});
  await h.callConsole('POST', `/v1/organizations/${h.org.orgId}/workspaces`, {
    key: null,
    headers: { cookie: c.cookie },
    body: { name: 'Staging' },
  });
  await c.open('/');
  await page.getByRole('button', { name: 'Create the key' }).click();
  const key = await page.locator('[data-secret]').textContent();
  const hide = page.getByRole('button', { name: 'Hide' });
  t.equal(await hide.getAttribute('aria-disabled'), 'true');
  await page.getByRole('button', { name: 'Workspace: All workspaces' }).click();
  await page.getByRole('menuitemradio', { name: 'Staging' }).click();
  const asks = page.getByRole('dialog', { name: 'Leave without storing it?' });
  await asks.getByRole('button', { name: 'Stay' }).click();
  await asks.waitFor({ state: 'detached' });
  t.equal(await page.locator('[data-secret]').textContent(), key);
  await storeSecret(page);
  await page.getByRole('button', { name: 'Workspace: All workspaces' }).click();
  await page.getByRole('menuitemradio', { name: 'Staging' }).click();
  await page.waitForURL(/workspace=/);
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
});

t.test('macs, builds, advice and orders', async (t) => {
  const c = await openConsole(t);
  const { h, page } = c;
  const host = await startBuildHost(h, { macs: 2, hours: 24 });
  const failed = await submit(h, { ref: 'main', commit: '0123456789abcdef0123456789abcdef01234567' });
  await host.start();
  await host.output(failed.id, "App/Cart.swift:12:9: error: cannot find 'totl' in scope\n");
  await h.clock.advance(95_000);
  await host.finish(failed.id, {
    exit_code: 65,
    reason_code: 'script_failed',
    fault: 'customer',
    summary: 'x',
  });
  for (let n = 1; n <= 9; n++) await submit(h, { pr: n, script: `./ci.sh test --shard ${n}` });
  await host.start();
  await h.clock.advance(40_000);
  await c.open('/');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByText('2 running, 7 waiting').waitFor();
  t.equal(await page.getByText(/^for \d+ s$/).count(), 2, 'how long builds run; nothing is known of their end');
  t.equal(await page.getByText(/^starts in about /).count(), 2, 'when as many start as there are Macs');
  await page.setViewportSize({ width: 1_280, height: 900 });
  const bottoms = await Promise.all(
    ['Macs', 'Queue'].map(async (name) => {
      const box = await page.getByRole('region', { name, exact: true }).boundingBox();
      return box && [box.y, box.y + box.height];
    }),
  );
  t.same(bottoms[0], bottoms[1], 'cards beside each other leave no hole');
  await page.getByText('5 more waiting', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Hide' }).click();
  await checkPage(t, c, 'overview');

  const lastBuilds = page.getByRole('table', { name: 'Last builds' });
  t.equal(await lastBuilds.getByRole('row').count(), 2, 'one has ended; the others are in the queue only');
  const [, running = ''] = await host.desired().then((builds) => builds.map(({ build_id: each }) => each));
  await host.finish(running);
  await h.clock.advance(1_000);
  await lastBuilds.getByText('succeeded').first().waitFor();
  t.equal(await lastBuilds.getByRole('row').count(), 3, 'the page followed without being loaded again');
});

t.test('while nothing happens, the next build has its command, and an order its time', async (t) => {
  const c = await openConsole(t);
  const { h, page } = c;
  const host = await startBuildHost(h, { macs: 1, hours: 24 });
  await addHost(h, 1);
  const build = await submit(h);
  await host.start();
  await host.finish(build.id);
  await c.open('/');
  const idle = page.getByRole('region', { name: 'Queue', exact: true });
  await idle.getByText('No builds are running or waiting').waitFor();
  await idle.getByText("cidermill build --script 'make test'").waitFor();
  await order(h);
  await h.clock.advance(1_000);
  await page.getByText(/^Held for another \d+:\d\d$/).waitFor();
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByText(/^Pay · \d+:\d\d left$/).waitFor();
});

t.test('a limit that is reached, and a service that fails', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { h, page } = c;
  await h.store.run(`UPDATE organizations SET limits = :limits WHERE id = :id`, {
    id: h.org.id,
    limits: JSON.stringify({ artifacts_bytes: 0, logs_bytes: 0 }),
  });
  await c.open('/');
  await page.getByText('Storage is full').waitFor();
  await page.getByText('Storage for logs is full').waitFor();
  t.equal(await page.getByRole('meter').count(), 4, 'meters of what is used');
  t.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0, 'a developer sees no keys');
  await page.getByText('Ask an owner or admin of the organization to rent one.').waitFor();
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByText('No builds yet').waitFor();
  await checkPage(t, c, 'overview-developer');
  await page.route('**/agent/status?*', (route) =>
    route.fulfill({
      status: 500,
      json: { error: { code: 'internal_error', message: 'It failed.', request_id: 'r_1' } },
    }),
  );
  await c.open('/');
  await page.getByRole('alert').getByText('r_1').waitFor();
  await page.unroute('**/agent/status?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Last builds' }).waitFor();
});
