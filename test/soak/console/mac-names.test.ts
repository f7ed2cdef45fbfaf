// Macs by name in the console: renamed in place, named when ordered, and shown everywhere.
import t from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { addHost, rent } from '../../harness/renting.js';

t.test('a Mac is renamed in place, in the list and on its page, with keys alone', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const host = await addHost(h, 2);
  const [rental = ''] = await rent(h, host, { units: 2 });
  const nameOf = async () => (await h.call('GET', `/rentals/${rental}`)).json().name;
  await c.open('/macs');
  await page.getByText(rental).waitFor();
  const pencil = page.getByRole('button', { name: 'Rename Mac 1' });
  await pencil.press('Enter');
  const field = page.getByRole('textbox', { name: 'Rename Mac 1' });
  t.equal((await page.evaluate('document.activeElement.tagName')) === 'INPUT', true, 'the field has the focus');
  await field.fill('Given up');
  await field.press('Escape');
  await pencil.waitFor();
  t.equal(
    (await page.evaluate('document.activeElement.getAttribute("aria-label")')) === 'Rename Mac 1',
    true,
    'and the button has it back',
  );
  t.equal(await nameOf(), 'Mac 1', 'Escape changes nothing');
  await pencil.press('Enter');
  await field.fill('MAC 2');
  await field.press('Enter');
  await page.getByRole('alert').getByText('MAC 2 is in use.').waitFor();
  await field.fill('rt_1');
  await field.press('Enter');
  await page.getByRole('alert').getByText('Must not begin like an id').waitFor();
  await checkPage(t, c, 'macs-rename', {
    prepare: () => page.getByRole('button', { name: /^(Rename Mac 1|Mac 1 이름 변경)$/ }).click(),
  });
  await c.open('/macs');
  await pencil.press('Enter');
  await field.fill('  "Release" <b>🦊</b>  ');
  await field.press('Enter');
  const link = page.getByRole('link', { name: '"Release" <b>🦊</b>' });
  await link.waitFor();
  t.equal(await nameOf(), '"Release" <b>🦊</b>');
  await link.click();
  await page.getByRole('heading', { name: '"Release" <b>🦊</b>', level: 1 }).waitFor();
  t.match(await page.title(), /^"Release" <b>🦊<\/b> · /);
  await page.getByRole('button', { name: 'Copy the id' }).waitFor();
  await page.getByRole('button', { name: /^Rename/ }).click();
  await page.getByRole('textbox', { name: /^Rename/ }).fill('W'.repeat(40));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'W'.repeat(40) }).waitFor();
  await checkPage(t, c, 'mac-long-name');
  await h.call('PATCH', `/rentals/${rental}`, { body: { name: 'Changed elsewhere' } });
  await page.getByRole('heading', { name: 'Changed elsewhere' }).waitFor();
  t.pass('an open page follows a rename by somebody else');
});

t.test('a developer sees names and cannot change them', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const host = await addHost(c.h, 1);
  await rent(c.h, host, { names: ['Release'] });
  await c.open('/macs');
  await c.page.getByRole('link', { name: 'Release' }).waitFor();
  t.equal(await c.page.getByRole('button', { name: /^Rename/ }).count(), 0);
});

t.test('Macs are named when they are ordered', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const host = await addHost(h, 4);
  await rent(h, host, { names: ['Release'] });
  await c.open('/rent?tier=m4&units=2');
  await page.getByText('Name the Macs').click();
  const [first, second] = [page.getByLabel('Name of Mac 1'), page.getByLabel('Name of Mac 2')];
  const send = () => page.getByRole('button', { name: 'Order and go to payment' }).click();
  await first.fill('Beta');
  await send();
  await page.getByText('Required.').waitFor();
  await second.fill('beta');
  await send();
  await page.getByText('Must have each value only once (got beta again).').waitFor();
  await second.fill('release');
  await send();
  await page.getByText('release is in use.').waitFor();
  t.equal(await second.getAttribute('aria-invalid'), 'true', 'at the field that it is about');
  await checkPage(t, c, 'rent-names', { prepare: () => page.getByText(/^(Name the Macs|Mac 이름 정하기)$/).click() });
  await c.open('/rent?tier=m4&units=2');
  await page.getByText('Name the Macs').click();
  await first.fill('Beta');
  await second.fill('야간 빌드');
  await send();
  await page.getByText('야간 빌드').waitFor();
  const [order] = (await h.call('GET', '/orders?status=awaiting_payment')).json().orders;
  t.same(order.names, ['Beta', '야간 빌드']);
});

t.test('the name is on every page that shows a Mac', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const host = await startBuildHost(h, { macs: 1 });
  const [rental = ''] = host.rentals;
  await h.call('PATCH', `/rentals/${rental}`, { body: { name: '릴리스 Mac' } });
  const body = { repo: 'owner/name', ref: 'main', script: 'make' };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await host.start();
  for (const address of ['/', '/builds', '/queue', '/macs', `/macs/${rental}`, '/audit']) {
    await c.open(address);
    await page.getByText('릴리스 Mac').first().waitFor();
  }
  await c.open(`/builds/${id}?tab=details`);
  await page.getByRole('link', { name: '릴리스 Mac' }).waitFor();
  await page.getByText(rental).waitFor();
  t.pass('the id is beside it');
});
