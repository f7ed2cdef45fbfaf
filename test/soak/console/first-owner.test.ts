// The plain pages in a real browser, against a real service.
import t from 'tap';
import { openPage } from '../../harness/console/browser.js';
import { startControlPlane } from '../../harness/console/control-plane.js';

const ADA = { email: 'ada@example.com', password: 'correct horse battery' };

/** Folder for screenshots of the pages; unset: none are taken. */
const shots = process.env.CIDERMILL_TEST_SCREENSHOTS;

t.test('the first owner signs in with the printed address, signs out and in again', async (t) => {
  const service = await startControlPlane(t);
  const { page, complaints, context } = await openPage(t);
  const shot = async (name: string) => {
    if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
  };

  await page.goto(`${service.siteUrl}/first-owner`);
  await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await shot('first-owner-no-token');
  await page.goto(service.firstOwnerUrl ?? '');
  const make = page.getByRole('button', { name: 'Create the owner' });
  await make.waitFor();
  t.notMatch(page.url(), /#/, 'the token does not stay in the address');
  await make.click();
  await page.getByText('Required.').first().waitFor();
  t.equal(await page.evaluate('document.activeElement.name'), 'organization');
  await shot('first-owner-problem');
  const hint = page.getByText('At least 12 characters.', { exact: true });
  t.equal(await hint.count(), 0, 'the hint steps back where an error stands');
  await page.getByLabel('Organization').fill('Mill & Co <b>');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByLabel('Password').fill('short');
  await hint.waitFor();
  await make.click();
  await page.getByText('Must have at least 12 characters.').waitFor();
  t.equal(await hint.count(), 0);
  t.equal(await page.evaluate('document.activeElement.name'), 'password');
  await page.getByLabel('Password').fill(ADA.password);
  await shot('first-owner');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.match(await page.title(), 'Overview · Mill & Co <b> · Cidermill');
  await shot('signed-in');
  const [cookie] = await context.cookies();
  t.match(cookie, { name: 'cidermill_session', httpOnly: true, sameSite: 'Lax' });

  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menu').getByText('Ada', { exact: true }).waitFor();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.same(
    (await context.cookies()).map(({ name }) => name),
    ['cidermill_language'],
    'the language of the person stays, the session does not',
  );
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
  t.equal(await page.evaluate('document.activeElement.name'), 'password');
  await shot('sign-in-problem');
  await page.keyboard.type(ADA.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(service.firstOwnerUrl ?? '');
  await page.getByRole('heading', { name: 'This service already has its first owner' }).waitFor();
  t.same(complaints, []);
});

t.test('the focus is where the page moves it before anybody can type on', async (t) => {
  const service = await startControlPlane(t);
  const { page } = await openPage(t);
  await page.goto(service.firstOwnerUrl ?? '');
  const make = page.getByRole('button', { name: 'Create the owner' });
  await make.waitFor();
  const focused = await page.evaluate(`(async () => {
    document.querySelector('button[type=submit]').click();
    for (let turn = 0; turn < 10; turn++) await null;
    return document.activeElement.name;
  })()`);
  t.equal(focused, 'organization');
});

t.test('the sign-in page does not redirect to another site', async (t) => {
  const service = await startControlPlane(t);
  const token = service.firstOwnerUrl?.split('#')[1];
  await fetch(`${service.runnerUrl}/v1/first-owner`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ADA, organization: 'Mill', token }),
  });
  const { page } = await openPage(t);
  const evil = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'javascript:alert(1)',
    '\t//evil.example',
  ];
  for (const next of evil) {
    await page.context().clearCookies();
    await page.goto(`${service.siteUrl}/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel('E-mail').fill(ADA.email);
    await page.getByLabel('Password').fill(ADA.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    t.equal(new URL(page.url()).origin, service.siteUrl, next);
  }
});

t.test('the content security policy of the pages allows no other origins', async (t) => {
  const service = await startControlPlane(t);
  for (const path of ['/sign-in', '/first-owner', '/pay/RT-1']) {
    const { headers, status } = await fetch(service.siteUrl + path);
    t.equal(status, 200, path);
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, /^default-src 'none'; script-src 'self' 'nonce-[\w+/]{24}'; style-src 'self' 'nonce-[\w+/]{24}';/);
    t.match(policy, /frame-ancestors 'none'/);
    t.notMatch(policy, /unsafe/);
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
  }
  for (const path of ['/console/none.js', '/console/..%2fserver.js', '/console/tsconfig.json']) {
    t.equal((await fetch(service.siteUrl + path)).status, 404, path);
  }
});
