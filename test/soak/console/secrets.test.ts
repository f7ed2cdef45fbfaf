// The page of secrets.
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';

t.test('secrets are set, replaced and deleted; their values are never shown', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  await c.open('/secrets');
  await checkPage(t, c, 'secrets-empty');

  await page.getByRole('button', { name: 'New secret' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('path');
  await dialog.getByLabel('Value').fill('/usr/bin');
  await dialog.getByRole('button', { name: 'Store the secret' }).click();
  await dialog.getByText('PATH is reserved: builds use this variable themselves.').waitFor();
  t.equal(await dialog.getByLabel('Value').inputValue(), '/usr/bin', 'what was typed stays');
  await dialog.getByLabel('Name').fill('app store-key');
  t.equal(await dialog.getByLabel('Name').inputValue(), 'APP_STORE_KEY');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'APP_STORE_KEY' }).waitFor();
  t.equal((await h.call('GET', '/secrets')).json().secrets[0].name, 'APP_STORE_KEY');

  await page.getByRole('button', { name: 'Replace APP_STORE_KEY' }).click();
  await dialog.getByLabel('Value').fill('42');
  await dialog.getByRole('button', { name: 'Store the secret' }).click();
  await page.getByText('not masked', { exact: true }).waitFor();
  t.notMatch(await page.content(), '/usr/bin');

  // Another page, or a program, stores one: the live stream says so.
  await h.call('PUT', '/secrets/MATCH_PASSWORD', { body: { value: 'correct horse' } });
  await page.getByRole('rowheader', { name: 'MATCH_PASSWORD' }).waitFor();

  await page.getByRole('button', { name: 'Delete APP_STORE_KEY' }).click();
  await page.getByText('It cannot be restored.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'APP_STORE_KEY' }).waitFor({ state: 'detached' });
  t.equal((await h.call('GET', '/secrets')).json().secrets.length, 1, 'one secret is left');
});

t.test('a full page, with secrets that cannot be read, for a developer', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  for (const name of ['APP_STORE_KEY', 'FASTLANE_PASSWORD', 'GIT_TOKEN', 'MATCH_PASSWORD', 'PIN']) {
    await h.call('PUT', `/secrets/${name}`, { body: { value: name === 'PIN' ? '42' : 'hunter2-hunter2' } });
  }
  await h.store.run(`UPDATE secrets SET key_id = 'lost' WHERE name = 'GIT_TOKEN'`);
  const value_base64 = Buffer.from([0x30, 0x82, 0, 0xff]).toString('base64');
  await h.call('PUT', '/secrets/CERT', { body: { value_base64 } });
  await c.open('/secrets');
  await page.getByRole('row', { name: /CERT/ }).getByText('file', { exact: true }).waitFor();
  await page.getByRole('row', { name: /PIN/ }).getByText('variable', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'A secret can no longer be read' }).waitFor();
  await checkPage(t, c, 'secrets');
  const add = page.getByRole('button', { name: 'New secret' });
  t.equal(await add.getAttribute('aria-disabled'), 'true');
  await add.hover();
  await page.getByRole('tooltip').getByText('Only owners and admins').waitFor();
});
