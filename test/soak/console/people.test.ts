// The pages about people: members, invitations, settings, the audit log.
import type { Page } from 'playwright-core';
import t from 'tap';
import { asPerson } from '../../harness/answer.js';
import { openPage } from '../../harness/console/browser.js';
import { checkPage } from '../../harness/console/check-page.js';
import { giveCookie, type OpenedConsole, openConsole, settled } from '../../harness/console/open-console.js';
import { staysOpen, storeSecret } from '../../harness/console/shown-once.js';
import { PASSWORD } from '../../harness/harness.js';

/** The open dialog; messages that vanish have the same role. */
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([data-type])');

/** Sends a request as a person. */
async function team(c: OpenedConsole) {
  const { h, cookie } = c;
  const owner = asPerson(c.h, cookie);
  const root = `/v1/organizations/${h.org.orgId}`;
  await h.clock.advance(1_000);
  const second = (await owner('POST', `${root}/workspaces`, { name: 'iOS' })).json().id as string;
  const cookies = {
    admin: await h.signIn('admin', { email: 'grace@example.com' }),
    developer: await h.signIn('developer', { email: 'linus@example.com' }),
  };
  await h.store.run(`UPDATE users SET name = 'Grace Hopper' WHERE email = 'grace@example.com'`, {});
  return { owner, root, second, cookies };
}

t.test('members are invited, changed and removed', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const { owner, root, cookies } = await team(c);
  await owner('POST', `${root}/invites`, { email: 'barbara@example.com', role: 'admin' });
  const admin = asPerson(c.h, cookies.admin);
  await admin('POST', `${root}/api-keys`, { name: 'Deploy', levels: ['read', 'build'] });
  await c.open('/members');
  await page.getByRole('rowheader', { name: 'barbara@example.com' }).waitFor();
  await checkPage(t, c, 'members');

  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('E-mail').fill('grace@example.com');
  await dialog.getByRole('button', { name: 'Create the invitation' }).click();
  await dialog.getByText('grace@example.com is a member already.').waitFor();
  t.equal(await dialog.getByLabel('E-mail').inputValue(), 'grace@example.com', 'what was typed stays');
  await dialog.getByLabel('E-mail').fill('katherine@example.com');
  await dialog.getByRole('checkbox', { name: 'iOS' }).click();
  await dialog.getByRole('button', { name: 'Create the invitation' }).click();
  const link = await dialog.locator('[data-secret]').innerText();
  t.match(link, /\/invite#[\w-]{43}$/);
  await staysOpen(t, page);
  await dialog.getByText('This service sends no e-mail').waitFor();
  await storeSecret(dialog);
  await page.getByRole('rowheader', { name: 'katherine@example.com' }).waitFor();

  await page.getByRole('button', { name: 'Revoke the invitation of katherine@example.com' }).click();
  await dialogOf(page).getByRole('button', { name: 'Revoke', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'katherine@example.com' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Actions for linus@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Change role…' }).click();
  await dialog.getByRole('radio', { name: 'admin' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.equal((await h.members.find(h.org.id, 'linus@example.com')).role, 'admin', 'the role is changed');

  const removing = async () => {
    await page.getByRole('button', { name: /Grace Hopper/ }).click();
    await page.getByRole('menuitem', { name: /^(Remove|제거)$/ }).click();
    await page.getByText('Deploy').waitFor();
  };
  await checkPage(t, c, 'members-remove', { prepare: removing });
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Grace Hopper', { exact: true }).first().waitFor({ state: 'detached' });
  t.equal((await h.members.list(h.org.id)).length, 2, 'two members are left');

  await page.getByRole('button', { name: 'Actions for ada@example.com' }).click();
  await page.getByText('An organization needs an owner.').waitFor();
});

t.test('the dialog of an invitation', async (t) => {
  const c = await openConsole(t);
  await team(c);
  await c.open('/members');
  const opened = async () => {
    await c.page.getByRole('button', { name: /^(Invite a person|멤버 초대)$/ }).click();
    await dialogOf(c.page).waitFor();
  };
  await checkPage(t, c, 'members-invite', { prepare: opened });
});

t.test('a developer sees the members, and can leave', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  await h.signIn('owner', { email: 'owner@example.com' });
  await c.open('/members');
  t.equal(await page.getByRole('button', { name: 'Actions for owner@example.com' }).count(), 0);
  await page.getByRole('button', { name: 'Actions for ada@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Leave' }).click();
  // The page learns of it before it has the answer.
  await page.route('**/members/user_*', async (route) => {
    const response = await route.fetch();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await route.fulfill({ response });
  });
  await dialogOf(page).getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(`${h.siteUrl}/`);
  await page.getByText('You have left Apple Press').waitFor();
  t.equal((await h.members.list(h.org.id)).length, 1, 'one member is left');
});

t.test('an invitation is accepted by a new person, a known one, and a signed-in one', async (t) => {
  const c = await openConsole(t);
  const { h } = c;
  const { owner, root } = await team(c);
  const invite = async (email: string) =>
    (await owner('POST', `${root}/invites`, { email, role: 'developer' })).json().accept_url as string;
  const visitor = await openPage(t, { width: 1_280 });
  const { page } = visitor;
  const seen = { ...visitor, h };

  await page.goto(`${h.siteUrl}/invite#nonsense`);
  await settled(visitor);
  await page.getByText('This invitation does not work').waitFor();
  await checkPage(t, seen, 'invite-dead');

  // Links that do not work count as guesses.
  await h.clock.advance(60_000);
  const fresh = await invite('katherine@example.com');
  await page.goto(fresh);
  await page.getByRole('heading', { name: 'Join Apple Press' }).waitFor();
  await checkPage(t, seen, 'invite-new');
  await page.getByText('Choose a password of at least 12 characters').waitFor();
  await page.getByRole('button', { name: 'Join Apple Press' }).click();
  await page.getByText('Required.').first().waitFor();
  await page.getByLabel('Your name').fill('Katherine Johnson');
  await page.getByLabel('Password').fill('too short');
  await page.keyboard.press('Enter');
  await page.getByText('Must have at least 12 characters.').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  t.equal((await h.members.find(h.org.id, 'katherine@example.com')).name, 'Katherine Johnson');

  await h.signIn('owner', { org: h.other, email: 'margaret@example.com' });
  const known = await invite('margaret@example.com');
  await page.goto('about:blank');
  await page.goto(known);
  await page.getByText('You are signed in as katherine@example.com.', { exact: false }).waitFor();
  await page.getByLabel('Password').fill('a wrong guess');
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);

  const own = await h.signIn('owner', { org: h.other, email: 'annie@example.com' });
  const tab = await openPage(t, { width: 1_280 });
  await giveCookie(tab, h.siteUrl, own);
  await tab.page.goto(await invite('annie@example.com'));
  await tab.page.getByText('You are signed in as annie@example.com.').waitFor();
  await checkPage(t, { ...tab, h }, 'invite-signed-in');
  await tab.page.getByRole('button', { name: 'Join Apple Press' }).click();
  await tab.page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
});

t.test('the side bar of the settings leads to the organizations, on a phone, too', async (t) => {
  const c = await openConsole(t, { operator: true, width: 390 });
  const { page, h } = c;
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await c.open('//settings');
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await navigation.getByRole('link', { name: 'Operators' }).click();
  await page.waitForURL(`${h.siteUrl}/operator`);
  await page.setViewportSize({ width: 1_280, height: 900 });
  await c.open('//settings');
  await navigation.getByRole('link', { name: 'Apple Press' }).click();
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  t.same(c.complaints, []);
});

t.test('settings: name, language, password, sessions, organizations', async (t) => {
  const c = await openConsole(t, { harness: { smtpUrl: 'smtp://127.0.0.1:1' } });
  const { page, h } = c;
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
  const body = { email: 'ada@example.com', password: PASSWORD };
  await h.callConsole('POST', '/v1/session', { key: null, headers: { 'user-agent': phone }, body });
  await c.open('//settings');
  await page.getByText('Safari · iPhone', { exact: true }).waitFor();
  await checkPage(t, c, 'settings');
  await page.getByLabel('Name', { exact: true }).fill('Ada Kim');
  await page.getByRole('button', { name: 'Change the name' }).click();
  await page.getByText('Your name is changed.').first().waitFor();
  await page.getByText('Ada Kim · ada@example.com').waitFor();
  await page.getByText('E-mails to you are written in: English.').waitFor();
  await page.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: '한국어' }).click();
  await page.getByText('이메일 언어: 한국어').waitFor();
  await page.getByRole('combobox', { name: '언어' }).click();
  await page.getByRole('option', { name: 'English' }).click();
  await page.getByText('E-mails to you are written in: English.').waitFor();
  await page.getByRole('button', { name: 'Sign out of Safari · iPhone' }).click();
  await dialogOf(page).getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Safari · iPhone', { exact: true }).waitFor({ state: 'detached' });
  await page.getByLabel('Current password').fill('a wrong guess');
  await page.getByLabel('New password').fill('a better password');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password is wrong.').waitFor();
  t.equal(await page.getByLabel('New password').inputValue(), 'a better password', 'what was typed stays');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password is changed.', { exact: false }).first().waitFor();
  const again = await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ada@example.com', password: 'a better password' },
  });
  t.equal(again.statusCode, 200);
});

t.test('the audit log is filtered and exported', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  await c.open('/audit');
  await page.getByText('Nothing yet').waitFor();
  const { owner, root } = await team(c);
  await owner('POST', `${root}/api-keys`, { name: 'CI', levels: ['read'] });
  await owner('DELETE', `${root}/api-keys/key_none`);
  for (const name of ['FIRST', 'SECOND']) await h.call('PUT', `/secrets/${name}`, { body: { value: 'hunter2' } });
  await h.call('PUT', '/secrets/THIRD', { key: h.keys.read, body: { value: 'x' } });
  const operator = {
    accountId: h.org.id,
    actorKind: 'operator',
    actorId: '0',
    actorName: 'eve',
    ip: null,
  } as const;
  await h.auditLog.write({ ...operator, action: 'organization.set_limits', target: h.org.orgId }, 'ok');
  await c.open('/audit');
  await checkPage(t, c, 'audit');
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Secrets' }).click();
  await page.getByRole('rowheader', { name: 'api_key.create' }).waitFor({ state: 'detached' });
  t.match(page.url(), /\?action=secret$/, 'filters stand in the address');
  await page.getByRole('rowheader', { name: 'secret.set' }).nth(2).waitFor();
  t.equal(await page.getByRole('rowheader').count(), 3);
  await page.getByLabel('Who').fill('nobody@example.com');
  await page.getByText('No entry matches the filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('rowheader', { name: 'api_key.create' }).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click(),
  ]);
  t.equal(download.suggestedFilename(), 'audit.csv');
});
