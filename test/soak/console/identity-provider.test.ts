// Signing in with an identity provider in a browser, on the provider's own pages.
import type { Page } from 'playwright-core';
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { startIdentityProvider, type TestIdentityProvider, verified } from '../../harness/identity-provider.js';
import { appCode } from '../../harness/totp.js';

const MINUTE = 60_000;

/** The provider's pages have a font from there. */
const FONTS = 'https://fonts.googleapis.com';

/** Without the requests of the provider's pages. */
const besides = (c: OpenedConsole, { issuer }: TestIdentityProvider): OpenedConsole => ({
  ...c,
  origins: new Set([...c.origins].filter((origin) => origin !== issuer && origin !== FONTS)),
});

/** What a person does at the provider. */
async function signInThere(page: Page, login: string, { agrees = true } = {}): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  // Once for each service.
  if (agrees) await page.getByRole('button', { name: 'Continue' }).click();
}

/** Turns on two-step sign-in for the person with this session. */
async function startTwoStep({ h }: OpenedConsole, cookie: string): Promise<void> {
  const post = (path: string, body?: object) =>
    h.callConsole('POST', path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
  const { secret } = (await post('/v1/second-factors/totp')).json();
  await post('/v1/second-factors/totp/confirm', { code: appCode(secret, h.clock.now()) });
}

t.test('a person links an account, signs in with it, and joins with it', async (t) => {
  const idp = await startIdentityProvider(t, {
    accounts: { ada: verified('ada@example.com'), eve: verified('eve@example.com', 'Eve') },
  });
  const harness = { identity: idp.config(), limits: { session_confirm_ms: 15 * MINUTE } };
  const c = await openConsole(t, { harness });
  const { page, h, context } = c;
  idp.register(h.siteUrl);
  const name = new URL(idp.issuer).host;
  const goOn = () => page.getByRole('button', { name: `Continue with ${name}` }).click();

  await c.open('//settings');
  await page.getByRole('region', { name: `Sign-in with ${name}` }).waitFor();
  await checkPage(t, c, 'identity-unlinked');
  await page.getByRole('button', { name: 'Link the account' }).click();
  await signInThere(page, 'ada');
  await page.waitForURL(`${h.siteUrl}/settings`);
  await page.getByRole('button', { name: 'Remove the link' }).waitFor();
  await checkPage(t, besides(c, idp), 'identity-linked');

  await context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in?next=%2Fo%2F${c.slug}%2Fmacs`);
  await page.getByRole('button', { name: `Continue with ${name}` }).waitFor();
  await checkPage(t, besides(c, idp), 'identity-sign-in');
  await goOn();
  await signInThere(page, 'ada');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}/macs`);
  t.notMatch(await page.evaluate('JSON.stringify(Object.values(sessionStorage))'), 'token', 'nothing is kept');

  await context.clearCookies();
  const { acceptUrl } = await h.invites.create(h.org.id, { email: 'eve@example.com', role: 'admin' }, 'operator');
  await page.goto(acceptUrl);
  await goOn();
  await signInThere(page, 'eve');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  await c.open('//settings');
  await page.getByText('eve@example.com').first().waitFor();
  await checkPage(t, besides(c, idp), 'identity-no-password');

  // To be confirmed in another tab, while this page stays.
  await h.clock.advance(15 * MINUTE);
  await c.open('/members');
  await page.getByRole('button', { name: 'Invite', exact: false }).first().click();
  await page.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    (async () => {
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Continue with ${name}` }).click();
    })(),
  ]);
  const closed = tab.waitForEvent('close');
  await signInThere(tab, 'eve', { agrees: false });
  await closed;
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  t.same(c.complaints, []);
});

t.test('what goes wrong is said, with a way on', async (t) => {
  const idp = await startIdentityProvider(t, {
    accounts: {
      ada: verified('ada@example.com'),
      successor: verified('ada@example.com'),
      eve: verified('eve@example.com'),
      bob: verified('bob@example.com'),
    },
  });
  const c = await openConsole(t, { role: null, harness: { identity: idp.config() } });
  const { page, h, context } = c;
  idp.register(h.siteUrl);
  await h.signIn('owner', { email: 'ada@example.com' });
  const name = new URL(idp.issuer).host;
  const signIn = async (login: string, next = '') => {
    await context.clearCookies();
    await page.goto(`${h.siteUrl}/sign-in${next}`);
    await page.getByRole('button', { name: `Continue with ${name}` }).click();
    await signInThere(page, login);
  };
  await signIn('ada');
  await page.waitForURL(/\/o\//);
  await signIn('successor');
  await page.getByText('removed the link to the identity provider, or is linked to another account').waitFor();
  t.equal(new URL(page.url()).search, '', 'the answer has left the address');
  await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
  t.match(await page.title(), /^Sign-in failed/);
  await page.getByRole('link', { name: 'Sign in and link it' }).click();
  await page.waitForURL(`${h.siteUrl}/sign-in?next=%2Fsettings`);

  await signIn('eve', '?next=%2F%5Cevil.example');
  await page.getByText('No user of this service is linked to this account at the identity provider.').waitFor();
  t.match(await page.getByRole('link', { name: 'Sign in another way' }).getAttribute('href'), /^\/sign-in$/);

  await page.goto(`${h.siteUrl}/sign-in/provider?code=planted&state=planted`);
  await page.getByRole('heading', { name: 'Nothing to continue here' }).waitFor();
  t.match(await page.title(), /^Nothing to continue here/);
  await checkPage(t, besides(c, idp), 'identity-lost');

  await context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in`);
  await page.getByRole('button', { name: `Continue with ${name}` }).click();
  await page.getByRole('link', { name: /Cancel/ }).click();
  await page.getByText('The identity provider has not signed the person in').waitFor();

  await startTwoStep(c, await h.signIn('developer', { email: 'bob@example.com' }));
  await signIn('bob');
  await page.getByLabel('Six-digit code').waitFor();
  await page.route('**/v1/session/provider/begin', (request) => request.abort());
  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
  await page.getByText('The service cannot be reached').waitFor();

  // Another one, whose document was never read.
  const away = await openConsole(t, {
    role: null,
    harness: { identity: { ...idp.config(), issuer: 'http://127.0.0.1:9' } },
  });
  const unavailable = async (opened: Page) => {
    await opened.getByRole('button', { name: /127\.0\.0\.1:9/ }).click();
    await opened.getByText(/The identity provider does not answer|외부 로그인 서비스가 응답하지/).waitFor();
  };
  await away.open('//sign-in');
  await checkPage(t, away, 'identity-away', { prepare: unavailable });
});
