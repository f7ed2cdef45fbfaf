// The page of errors.
import t from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';

t.test('failed requests and builds, with what to do next', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  await c.open('/errors');
  await checkPage(t, c, 'errors-empty');

  await h.call('PUT', '/secrets/path', { body: { value: 'x' } });
  await h.call('POST', '/orders', { body: { tier: 'no-such-tier', hours: 24 } });
  await h.call('POST', '/builds', { body: { repo: 'owner/name' } });
  await h.clock.advance(3 * 3_600_000);
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  const { id } = (await h.call('POST', '/builds', { body: { repo: 'owner/name', script: 'make' } })).json();
  await host.start();
  await host.output(id, 'error: no such module\n');
  await host.finish(id, { outcome: 'exited', exit_code: 65 });
  await page.getByRole('link', { name: 'Open the build' }).waitFor();
  await checkPage(t, c, 'errors');

  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Requests', exact: true }).click();
  await page.getByText('3 shown').waitFor();
  await page.getByLabel('Code').fill('invalid_secret_name');
  await page.keyboard.press('Enter');
  await page.getByText('1 shown').waitFor();
  t.match(page.url(), /kind=api.*code=invalid_secret_name/);
  await page.getByText('must not be a variable that a build sets itself', { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Since' }).click();
  await page.getByRole('option', { name: 'the last hour' }).click();
  await page.getByText('No error matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('4 shown').waitFor();
});
