// The Macs of an organization, and the page of one: its timeline, setup, jobs, resets and extension.
import t, { type Test } from 'tap';
import { type BuildHost, startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { dangerButton } from '../../harness/console/danger.js';
import { type ConsoleOptions, type OpenedConsole, openConsole, settled } from '../../harness/console/open-console.js';
import { addHost, DAY, iso, order, pay, rent } from '../../harness/renting.js';

async function scene(
  t: Test,
  options: ConsoleOptions = {},
): Promise<OpenedConsole & { host: BuildHost; rental: string }> {
  const c = await openConsole(t, options);
  const host = await startBuildHost(c.h, {
    macs: 2,
    hours: 120,
    runtimes: ['iOS 26.1', 'iOS 18.5'],
    tools: ['fastlane', 'tuist'],
  });
  return { ...c, host, rental: host.rentals[0] ?? '' };
}

const build = async ({ h, host }: { h: OpenedConsole['h']; host: BuildHost }) => {
  const body = { repo: 'owner/name', ref: 'main', script: 'xcodebuild test' };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await host.start();
  return id as string;
};

t.test('the list, empty and full; several Macs are extended with one order', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  await c.open('/macs');
  await page.getByText('No Macs yet').waitFor();
  await checkPage(t, c, 'macs-empty');
  const host = await addHost(h, 3);
  await rent(h, host, { units: 2, hours: 48 });
  await pay(h, (await order(h, { start: iso(h.clock.now() + DAY) })).order_no);
  await c.open('/macs');
  await page.getByText('reserved').first().waitFor();
  await checkPage(t, c, 'macs');
  const mac = (await h.call('GET', '/rentals')).json().rentals.find((one: { state: string }) => one.state === 'ready');
  const extend = async () => {
    await c.open(`/macs/${mac.rental_id}#extend`);
    await page.getByText('₩10,000').first().waitFor();
  };
  await extend();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  t.equal(new URL(page.url()).hash, '');
  await checkPage(t, c, 'mac-extend', { prepare: () => extend() });
  await c.open('/macs');
  await page.getByRole('checkbox').first().waitFor();
  const boxes = page.getByRole('checkbox', { disabled: false });
  t.equal(await boxes.count(), 2);
  const reserved = page.getByRole('checkbox', { disabled: true });
  await reserved.focus();
  await page.getByRole('tooltip').getByText('can be extended after it has begun').waitFor();
  await page.keyboard.press('Space');
  t.equal(await reserved.getAttribute('aria-checked'), 'false');
  for (const box of await boxes.all()) await box.click();
  await page.getByRole('button', { name: 'Extend… (2)' }).click();
  await page.getByLabel('Additional days').fill('3');
  await page.keyboard.press('Tab');
  await page.getByText('₩60,000').waitFor();
  await page.getByRole('button', { name: 'Order and go to payment' }).click();
  await page.getByRole('heading', { name: 'Extend the rental of 2 Macs' }).waitFor();
  const { orders } = (await h.call('GET', '/orders')).json();
  t.match(
    orders.find((one: { kind: string }) => one.kind === 'extension'),
    {
      kind: 'extension',
      hours: 72,
      amount_won: 60_000,
    },
  );
});

t.test('the page of a Mac: its timeline, builds, and what it has', async (t) => {
  const c = await scene(t);
  const { page, host, h, rental } = c;
  await host.finish(await build(c));
  await h.call('POST', `/rentals/${rental}/reset`, { body: { keep_cache: true } });
  await host.mac(rental, 'ready');
  await build(c);
  await c.open(`/macs/${rental}`);
  await page.getByText('building').first().waitFor();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('a change was requested').waitFor();
  t.equal(await timeline.getByRole('listitem').count(), 7);
  // Its builds are rows as everywhere, without the name of the Mac.
  const rows = page.getByRole('table', { name: 'Builds' });
  t.equal(await rows.getByRole('row').count(), 3);
  t.match(await rows.getByRole('row').nth(1).innerText(), /^running\nxcodebuild test\nowner\/name\nmain\n/);
  t.equal(await rows.getByRole('link', { name: 'Mac 1' }).count(), 0);
  await checkPage(t, c, 'mac');
  await c.open('/macs/rt_none');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await settled(c);
  const { errors } = (await h.call('GET', '/errors?code=rental_not_found')).json();
  t.equal(errors.length, 1, 'an unknown Mac is one entry of the errors');
  await h.store.run(`UPDATE macs SET state = 'ended' WHERE rental_id = :rental`, { rental });
  await c.open(`/macs/${rental}`);
  await page.getByText('This rental has ended').waitFor();
  await page.getByRole('list', { name: 'Timeline' }).waitFor();
  await page.getByRole('heading', { name: 'Mac 1', level: 1 }).waitFor();
  t.match(await page.title(), /^Mac 1 · /);
  await page.getByText(rental, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy the id' }).waitFor();
  await checkPage(t, c, 'mac-ended');
  await c.open(`/macs/${rental}`);
  await page.getByRole('link', { name: 'All builds on this Mac' }).click();
  const filter = page.getByRole('combobox', { name: 'Mac' });
  await filter.getByText('Mac 1').waitFor();
  await checkPage(t, c, 'builds-of-ended-mac');
  await h.store.run('DELETE FROM mac_names WHERE holder = :rental', { rental });
  await h.call('PATCH', `/rentals/${host.rentals[1]}`, { body: { name: 'Mac 1' } });
  await c.open(`/builds?rental_id=${rental}`);
  await filter.getByText(`Mac 1 (${rental})`).waitFor();
  t.pass('another Mac has its name now');
});

t.test('reset: both ways, with what is lost and what the day allows', async (t) => {
  const c = await scene(t);
  const { page, host, h, rental } = c;
  const running = await build(c);
  const [mac] = (await h.call('GET', '/rentals'))
    .json()
    .rentals.filter((one: { state: string }) => one.state === 'building');
  await c.open(`/macs/${mac.rental_id}`);
  const openDialog = () => page.getByRole('button', { name: /^(Reset…|초기화…)$/ }).click();
  await dangerButton(t, page, 'Reset…');
  await openDialog();
  await page.getByText('20 new virtual machines are left').waitFor();
  await page.getByRole('radio', { name: 'New virtual machine' }).click();
  await page.getByRole('radio', { name: 'Cancel the build and start now' }).click();
  await page.getByText(`The running build ${running}, which is canceled`).waitFor();
  await page.keyboard.press('Escape');
  await checkPage(t, c, 'mac-reset', { prepare: openDialog });
  await c.open(`/macs/${rental === mac.rental_id ? (host.rentals[1] ?? '') : rental}`);
  await openDialog();
  await page.getByRole('radio', { name: 'New virtual machine' }).click();
  await page.getByText('Everything on the disk').waitFor();
  await page.getByRole('button', { name: 'Reset the Mac' }).click();
  await page.getByText('Resetting').first().waitFor();
  await page.getByText('Job: Reset').waitFor();
  await checkPage(t, c, 'mac-resetting');
  await openDialog();
  await page.getByText('19 new virtual machines are left').waitFor();
  const again = page.getByRole('radio', { name: 'New virtual machine' });
  t.equal(await again.getAttribute('aria-disabled'), 'true', 'the next one in ten minutes');
  await page.getByRole('button', { name: 'Reset the Mac' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
});

t.test('setup: the selection is sent, a failed job is shown', async (t) => {
  const c = await scene(t);
  const { page, host, rental } = c;
  await c.open(`/macs/${rental}`);
  const openDialog = () => page.getByRole('button', { name: /^(Change…|변경…)$/ }).click();
  await checkPage(t, c, 'mac-setup', { prepare: openDialog });
  await page.getByRole('combobox', { name: 'Xcode' }).click();
  await page.getByRole('option', { name: '16.1' }).click();
  await page.getByRole('checkbox', { name: 'tuist' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change the setup' }).click();
  await page.getByText('Job: Change of setup').waitFor();
  const wanted = (await host.macs()).find(({ rental_id }) => rental_id === rental);
  t.match(wanted, { xcode: '16.1', tools: ['tuist'] });
  const { revision = 0 } = wanted ?? {};
  await host.mac(rental, 'ready', {
    revision: revision - 1,
    xcode: '16.2',
    refused: { revision, code: 'failed', message: 'The disk is full.' },
  });
  await c.open(`/macs/${rental}`);
  await page.getByText('The disk is full.').waitFor();
  await checkPage(t, c, 'mac-job-failed');
});

t.test('a developer may look; a Mac that the operator granted shows no price', async (t) => {
  const c = await scene(t, { role: 'developer' });
  const { page, h, rental } = c;
  await h.store.run('UPDATE rentals SET hours = NULL, amount_won = 0');
  await c.open(`/macs/${rental}`);
  await page.getByText('Granted by an operator').waitFor();
  t.notMatch(await page.locator('main').innerText(), /₩/);
  t.equal(await page.getByRole('button', { name: 'Extend…' }).count(), 0);
  const reset = page.getByRole('button', { name: 'Reset…' });
  t.equal(await reset.getAttribute('aria-disabled'), 'true');
});
