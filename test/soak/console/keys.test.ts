// The pages of API keys and workspaces.
import type { Page } from 'playwright-core';
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { staysOpen } from '../../harness/console/shown-once.js';
import { until } from '../../harness/until.js';

/** The open dialog; messages that vanish have the same role. */
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([data-type])');

t.test('a key is created, shown once, used and revoked', async (t) => {
  const c = await openConsole(t);
  const { page, h, cookie } = c;
  await h.store.run('DELETE FROM api_keys', {});
  await c.open('/keys');
  await page.getByText('No API keys yet').waitFor();
  await checkPage(t, c, 'keys-empty');

  const opened = async () => {
    await page.getByRole('button', { name: /^(New key|키 만들기)$/ }).click();
    await dialogOf(page).waitFor();
  };
  await checkPage(t, c, 'keys-new', { prepare: opened });
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText('Required.').waitFor();
  await dialog.getByLabel('Name').fill('CI');
  await dialog.getByLabel(/^IP addresses/).fill('not an address');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText('Entry 1: Must be an IP address').waitFor();
  t.equal(await dialog.getByLabel('Name').inputValue(), 'CI', 'what was typed stays');
  await dialog.getByLabel(/^IP addresses/).fill('127.0.0.1\n203.0.113.0/24');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const key = (await dialog.locator('[data-secret]').innerText()).split('\n').at(-1) ?? '';
  t.match(key, /^cm_[0-9A-Za-z]{36}$/);
  await dialog.getByText(`cidermill login --url ${h.siteUrl}/api/v1 --key ${key}`).waitFor();
  t.equal((await h.call('GET', '/me', { key })).statusCode, 200, 'the key is accepted');
  // It is shown once: nothing but its button closes it, and leaving asks.
  await staysOpen(t, page);
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  const asks = page.getByRole('dialog', { name: 'Leave without storing it?' });
  await asks.getByRole('button', { name: 'Stay' }).click();
  await asks.waitFor({ state: 'detached' });
  t.match(page.url(), /\/keys$/);
  let asked = '';
  page.once('dialog', (prompt) => {
    asked = prompt.type();
    void prompt.dismiss();
  });
  await page.evaluate('void setTimeout(() => location.reload())');
  await until(() => asked === 'beforeunload', 'the browser asks');
  t.match(await dialog.locator('[data-secret]').innerText(), key, 'the key is still there');
  const stored = dialog.getByRole('button', { name: 'I have stored it' });
  t.equal(await stored.getAttribute('aria-disabled'), 'true', 'it is copied first');
  await stored.click({ force: true });
  await dialog.locator('[data-secret]').waitFor();
  // Where the browser lets no page copy.
  await page.evaluate('document.execCommand = () => false; navigator.clipboard.writeText = () => Promise.reject()');
  const copy = dialog.getByRole('button', { name: 'Copy', exact: true });
  await copy.first().click();
  await dialog.getByText('Your browser did not copy it.').waitFor();
  t.equal(await stored.getAttribute('aria-disabled'), null, 'it may be copied in other ways');
  await page.evaluate('navigator.clipboard.writeText = () => Promise.resolve()');
  await copy.last().click();
  await dialog.getByText('Copied').first().waitFor();
  await stored.click();
  await page.getByRole('rowheader', { name: /CI/ }).waitFor();
  await page.getByRole('columnheader', { name: 'Permissions' }).waitFor();
  t.notMatch(await page.content(), key, 'it is nowhere any more');

  await page.getByRole('button', { name: 'Revoke CI' }).click();
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No key matches').waitFor();
  t.equal((await h.call('GET', '/me', { key })).statusCode, 401, 'the revoked key is refused');

  const root = `/v1/organizations/${h.org.orgId}`;
  const owner = (method: string, path: string, body?: object) =>
    h.callConsole(method, root + path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
  await h.clock.advance(1_000);
  const ios = (await owner('POST', '/workspaces', { name: 'iOS' })).json().id;
  const make = async (name: string, more: object = {}) =>
    (await owner('POST', '/api-keys', { name, levels: ['read', 'build'], ...more })).json();
  await make('Nightly builds', { workspace_id: ios, cidrs: ['198.51.100.0/24', '2001:db8::/32'] });
  await make('Ada’s laptop', { levels: ['read', 'build', 'manage'], expires_at: '2026-06-01T00:00:00Z' });
  const leaked = await make('Old pipeline');
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: leaked.key } });
  await h.store.run(
    `UPDATE api_keys SET leaked_url = 'https://github.com/apple-press/app/blob/main/ci.yml#L3' WHERE key_id = :id`,
    { id: leaked.id },
  );
  await c.open('/keys?show=all');
  const found = page.getByRole('link', { name: 'where it was found' });
  t.equal(await found.getAttribute('href'), 'https://github.com/apple-press/app/blob/main/ci.yml#L3');
  await checkPage(t, c, 'keys');
});

t.test('workspaces are created, renamed and removed', async (t) => {
  const c = await openConsole(t, { role: 'admin' });
  const { page, h } = c;
  await c.open('/workspaces');
  const remove = page.getByRole('button', { name: 'Remove default' });
  t.equal(await remove.getAttribute('aria-disabled'), 'true', 'the last one stays');
  const dialog = dialogOf(page);
  await page.getByRole('button', { name: 'New workspace' }).click();
  await dialog.getByLabel('Name').fill('Default');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Default is in use.').waitFor();
  await dialog.getByLabel('Name').fill('iOS');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('rowheader', { name: 'iOS' }).waitFor();
  await page.getByRole('button', { name: 'Workspace: All workspaces' }).waitFor();
  await checkPage(t, c, 'workspaces');
  await page.getByRole('button', { name: 'Rename iOS' }).click();
  await dialog.getByLabel('Name').fill('Mobile');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('rowheader', { name: 'Mobile' }).waitFor();
  await page.getByRole('button', { name: 'Remove default' }).click();
  await dialog.getByRole('button', { name: 'Remove the workspace' }).click();
  await dialog.getByRole('alert').getByText('active keys', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Remove Mobile' }).click();
  await dialog.getByRole('button', { name: 'Remove the workspace' }).click();
  // Rows behind a dialog have no role.
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'Mobile' }).waitFor({ state: 'detached' });
  t.same(await h.store.all(`SELECT name FROM workspaces WHERE name = 'Mobile'`), [], 'it is removed');
});

t.test('developers have no keys to manage', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  await c.open('/keys');
  await c.page.getByText('Only owners and admins manage API keys.').waitFor();
  await checkPage(t, c, 'keys-developer');
});
