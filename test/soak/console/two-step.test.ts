// Two-step sign-in and passkeys in a browser.

import jsqr from 'jsqr';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { storeSecret } from '../../harness/console/shown-once.js';
import { PASSWORD } from '../../harness/harness.js';
import { appCode } from '../../harness/totp.js';

const STEP = 30_000;
/** Nothing asks for the password again, which is the subject of other tests. */
const asks = { limits: { session_confirm_ms: 15 * 60_000 } };

async function typePassword({ page, h }: OpenedConsole): Promise<void> {
  await page.goto(`${h.siteUrl}/sign-in`);
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

/** What a phone reads from the picture on the page. */
async function scanned(page: Page): Promise<string | undefined> {
  const pixels = (await page.evaluate(`(async () => {
    const svg = document.querySelector('svg[role=img]');
    const image = new Image();
    image.src = 'data:image/svg+xml,' + encodeURIComponent(
      new XMLSerializer().serializeToString(svg).replace('<svg', '<svg width="300" height="300"').replace('<path', '<path fill="' + getComputedStyle(svg.querySelector('path')).fill + '"'),
    );
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 300;
    const context = canvas.getContext('2d');
    context.fillStyle = getComputedStyle(svg).backgroundColor;
    context.fillRect(0, 0, 300, 300);
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, 300, 300).data];
  })()`)) as number[];
  return jsqr.default(Uint8ClampedArray.from(pixels), 300, 300)?.data;
}

t.test('a person sets up an app, signs in with its code, and with a recovery code', async (t) => {
  const c = await openConsole(t, { harness: asks });
  const { page, h } = c;
  await c.open('//settings');
  const card = page.getByRole('region', { name: 'Two-step sign-in' });
  const setUp = page.getByRole('button', { name: /^(Set up an authenticator app|인증 앱 설정)$/ });
  await checkPage(t, c, 'two-step-set-up', {
    prepare: async (opened) => {
      await setUp.click();
      await opened.locator('svg[role=img]').waitFor();
    },
  });
  const secret = (await page.getByLabel('Key', { exact: true }).innerText()).trim();
  t.match(secret, /^[A-Z2-7]{32}$/);
  t.match(await scanned(page), `secret=${secret}&issuer=Cidermill`, 'the picture has the key');
  await page.getByLabel('Six-digit code').fill('12 34');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Does not have the expected format').waitFor();
  await page.getByLabel('Six-digit code').fill(appCode(secret, h.clock.now(), 9));
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong').waitFor();
  await page.getByLabel('Six-digit code').fill(appCode(secret, h.clock.now()));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  const shown = (await page.locator('[data-secret]').innerText()).match(/\S{4}-\S{4}-\S{4}-\S{4}/g) ?? [];
  t.equal(shown.length, 10);
  await page.keyboard.press('Escape');
  await storeSecret(page);
  await card.getByText('Recovery codes left').waitFor();
  await checkPage(t, c, 'two-step-on');

  await h.clock.advance(2 * STEP);
  await c.context.clearCookies();
  await typePassword(c);
  await page.getByText('Open your authenticator app').waitFor();
  t.equal(await page.evaluate('document.activeElement.name'), 'code');
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong').waitFor();
  await page.keyboard.type(appCode(secret, h.clock.now()));
  await page.keyboard.press('Enter');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);

  await c.context.clearCookies();
  await typePassword(c);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.keyboard.type(shown[0]?.toUpperCase() ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);
  await c.open('//settings');
  await card.getByText('9', { exact: true }).waitFor();
  await h.clock.advance(15 * 60_000);
  await card.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Use another way' }).click();
  await page.getByLabel('Code of your authenticator app, or a recovery code').fill(appCode(secret, h.clock.now(), 5));
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong, or was used before.').waitFor();
  await page.keyboard.type(appCode(secret, h.clock.now()));
  await page.keyboard.press('Enter');
  await setUp.waitFor();
  t.same(c.complaints, []);
});

t.test('the second step looks right everywhere, and goes back when it took too long', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const post = (path: string, body?: object) =>
    h.callConsole('POST', path, { key: null, headers: { cookie: c.cookie }, ...(body ? { body } : {}) });
  const { secret } = (await post('/v1/second-factors/totp')).json();
  await post('/v1/second-factors/totp/confirm', { code: appCode(secret, h.clock.now()) });
  await c.context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in`);
  const password = async (opened: Page) => {
    await opened.locator('[name=email]').fill('ada@example.com');
    await opened.locator('[name=password]').fill(PASSWORD);
    await opened.keyboard.press('Enter');
    await opened.locator('[name=code]').waitFor();
  };
  await checkPage(t, c, 'sign-in-code', { prepare: password });
  await page.goto(`${h.siteUrl}/sign-in`);
  await password(page);
  await h.clock.advance(5 * 60_000);
  await page.keyboard.type('123456');
  await page.keyboard.press('Enter');
  await page.getByText('That took too long. Enter your password again.').waitFor();
  await page.getByLabel('Password').waitFor();

  const { acceptUrl } = await h.invites.create(h.other.id, { email: 'ada@example.com', role: 'admin' }, 'operator');
  await page.goto(acceptUrl);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Sign in first; then this page opens again.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await password(page);
  await page.keyboard.type(appCode(secret, h.clock.now()));
  await page.keyboard.press('Enter');
  await page.getByText('You are signed in as ada@example.com.').waitFor();
});

/** A security key in the browser, which has verified the person. */
async function putAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** At an address for which browsers have passkeys. */
const openLocal = (t: Test, options: Parameters<typeof openConsole>[1] = {}) =>
  openConsole(t, { ...options, host: 'localhost' });

t.test('a person registers a passkey, signs in with it alone, and removes it', async (t) => {
  const c = await openLocal(t, { harness: asks });
  const { page, h } = c;
  await putAuthenticator(page);
  // The authenticator answers the offer in the field at once, so there is one only where the test wants it.
  await page.addInitScript(`if (location.hash !== '#offer' && globalThis.PublicKeyCredential) {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  }`);
  await c.open('//settings');
  const card = page.getByRole('region', { name: 'Passkeys' });
  await card.getByText('None.').waitFor();
  await card.getByRole('button', { name: 'Add a passkey' }).click();
  t.equal(await page.getByRole('dialog').getByLabel('Name', { exact: true }).inputValue(), 'Linux · Chrome');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Work laptop');
  await page.keyboard.press('Enter');
  await card.getByText('Work laptop').waitFor();
  await checkPage(t, c, 'passkeys');
  await checkPage(t, c, 'passkey-rename', {
    async prepare(opened) {
      await opened.getByRole('button', { name: /^(Rename Work laptop|Work laptop 이름 변경)$/ }).click();
      await opened.getByRole('dialog').waitFor();
    },
  });
  await page.getByRole('dialog').getByLabel('Name').fill('Home laptop');
  await page.keyboard.press('Enter');
  await page.getByText('The passkey is now called Home laptop.').waitFor();
  await card.getByText('Home laptop', { exact: true }).waitFor();
  t.equal(await card.getByText('Work laptop').count(), 0);
  await card.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('This device has a passkey for your account already.').waitFor();
  await page.keyboard.press('Escape');

  await c.context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in?next=%2Fsettings`);
  await checkPage(t, c, 'sign-in-passkey');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${h.siteUrl}/settings`);
  const [used] = await h.store.all<{ counter: number; lastUsedAt: number }>(
    'SELECT counter, last_used_at AS "lastUsedAt" FROM passkeys',
  );
  t.equal(used?.lastUsedAt, h.clock.now());
  t.ok((used?.counter ?? 0) > 0, 'the counter is stored');

  // The offer in the field.
  await c.context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in?next=%2Fsettings#offer`);
  await page.waitForURL(`${h.siteUrl}/settings`);

  // A copy of the passkey has signed more often.
  await h.store.run('UPDATE passkeys SET counter = 1000', {});
  await c.context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('The passkey was not accepted').waitFor();
  await h.store.run('UPDATE passkeys SET counter = 0', {});
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${h.siteUrl}/o/${c.slug}`);

  // The page asks again who removes it, after 15 minutes.
  await c.open('//settings');
  await h.clock.advance(15 * 60_000);
  await card.getByRole('button', { name: 'Remove Home laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Use another way' }).click();
  await page.getByLabel('Your password').waitFor();
  await page.getByRole('button', { name: 'Use another way' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await card.getByText('None.').waitFor();
  await c.context.clearCookies();
  await page.goto(`${h.siteUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('The passkey was not accepted').waitFor();
  t.same(c.complaints, []);
});

t.test('an answer of a passkey is taken once, within five minutes, and from this site', async (t) => {
  const c = await openLocal(t);
  const { page, h } = c;
  await putAuthenticator(page);
  await c.open('//settings');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The passkey is added.').waitFor();

  // The requests of the page, so that they can be sent again.
  const answers: { credential: Record<string, string> }[] = [];
  await page.route('**/v1/session/passkey', async (route) => {
    answers.push(route.request().postDataJSON());
    await route.abort();
  });
  await c.context.clearCookies();
  const answered = async () => {
    const before = answers.length;
    await page.goto(`${h.siteUrl}/sign-in`);
    while (answers.length === before) await page.waitForTimeout(50);
    return answers.at(-1) ?? { credential: {} };
  };
  const send = async (body: object) => {
    const answer = await h.callConsole('POST', '/v1/session/passkey', { key: null, body });
    return answer.statusCode === 200 ? 'signed in' : answer.json().error.code;
  };
  const late = await answered();
  await h.clock.advance(5 * 60_000);
  t.equal(await send(late), 'invalid_passkey', 'after five minutes');
  const first = await answered();
  const changed = (name: string, value: string) => ({ credential: { ...first.credential, [name]: value } });
  const clientData = JSON.parse(Buffer.from(first.credential.client_data ?? '', 'base64url').toString());
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const [what, body] of [
    ['another origin', changed('client_data', encoded({ ...clientData, origin: 'https://evil.example' }))],
    ['a challenge of nobody', changed('client_data', encoded({ ...clientData, challenge: 'AAAA' }))],
    ['no JSON', changed('client_data', 'AAAA')],
    ['another type', changed('client_data', encoded({ ...clientData, type: 'webauthn.create' }))],
    ['another signature', changed('signature', Buffer.alloc(70, 1).toString('base64url'))],
    ['another person', changed('user_handle', Buffer.from('user_other').toString('base64url'))],
    ['an unknown passkey', changed('id', 'AAAA')],
    ['other data', changed('authenticator_data', Buffer.alloc(37).toString('base64url'))],
  ] as const) {
    t.equal(await send(body), 'invalid_passkey', what);
  }
  t.equal(await send(first), 'signed in');
  t.equal(await send(first), 'invalid_passkey', 'replayed');
});

t.test('the page says why there are no passkeys', async (t) => {
  const c = await openConsole(t);
  await c.open('//settings');
  await c.page.getByText('the address of this service is a number').waitFor();
  await c.open('//sign-in');
  t.equal(await c.page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
});
