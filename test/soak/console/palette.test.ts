// The palette: pages, actions, Macs and builds from the keyboard, for those who may.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage, violations } from '../../harness/console/check-page.js';
import { type ConsoleOptions, openConsole } from '../../harness/console/open-console.js';
import { until } from '../../harness/until.js';
import { submit } from './building.js';

const timeout = 180_000;

async function start(t: Test, options: ConsoleOptions = {}) {
  const c = await openConsole(t, { width: 1_280, ...options });
  return { ...c, ...partsOf(c.page) };
}

const partsOf = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: /^(Search and commands|검색과 명령)$/ });
  return {
    dialog,
    field: dialog.getByRole('combobox'),
    /** The entry that Enter would run. */
    active: () => dialog.locator('[aria-selected=true]').innerText(),
    options: () => dialog.getByRole('option').allInnerTexts(),
    async type(text: string) {
      // The previous palette may still be closing.
      await dialog.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await dialog.getByRole('combobox').fill(text);
    },
  };
};

/** Presses Enter twice before the page can draw. */
const enterTwice = (page: Page) =>
  page.evaluate(`{
    const field = document.activeElement;
    for (let i = 0; i < 2; i++) {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    }
  }`);

t.test('keys, pointer and screen readers', { timeout }, async (t) => {
  const { page, dialog, field, active, options, open } = await start(t);
  await open('/');
  const button = page.getByRole('button', { name: 'Search and commands' });
  t.equal(await button.getAttribute('aria-keyshortcuts'), 'Control+K');
  await page.getByRole('link', { name: 'Queue' }).first().focus();
  await page.keyboard.press('Control+k');
  await page.locator('[role=combobox]:focus').waitFor();
  await field.fill('web');
  const snapshot = await dialog.ariaSnapshot();
  t.match(
    snapshot,
    /dialog "Search and commands":\s+- combobox "Search pages, Macs, builds and actions" \[expanded\]: web/,
  );
  t.match(
    snapshot,
    /listbox "Search and commands":\s+- group "Pages":\s+- paragraph: Pages\s+- option "Webhooks" \[selected\]/,
  );
  t.match(snapshot, /group "Actions":\s+- paragraph: Actions\s+- option "Add a webhook"/);
  await dialog.getByRole('status').getByText('2 results').waitFor();
  const pointed = async () => {
    const id = (await field.getAttribute('aria-activedescendant')) ?? '';
    return page.evaluate(`document.getElementById(${JSON.stringify(id)}).innerText`);
  };
  for (const [key, expected] of [
    ['ArrowDown', 'Add a webhook'],
    ['ArrowDown', 'Webhooks'],
    ['ArrowUp', 'Add a webhook'],
    ['Home', 'Webhooks'],
    ['End', 'Add a webhook'],
  ] as const) {
    await page.keyboard.press(key);
    t.same([await active(), await pointed()], [expected, expected], key);
  }
  await field.fill('no such thing');
  await dialog.getByText('Nothing matches “no such thing”.').waitFor();
  t.equal(await field.getAttribute('aria-activedescendant'), null);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Queue', 'the focus is where it was');

  await page.keyboard.press('Control+k');
  await field.fill('AUDI');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/audit');
  await page.locator('h1:focus').waitFor();
  await button.click();
  await field.waitFor();
  t.equal((await options())[0], 'Audit log', 'what was chosen last comes first');
  t.equal((await options()).filter((text) => text === 'Audit log').length, 1);
  await dialog.getByRole('option', { name: 'Files' }).hover();
  t.equal(await active(), 'Files', 'the pointer and the keys have one place');
  await dialog.getByRole('option', { name: 'Files' }).click();
  await page.waitForURL('**/files');
  await page.keyboard.press('Control+k');
  await field.waitFor();
  await page.keyboard.press('Control+k');
  await dialog.waitFor({ state: 'detached' });
});

t.test('Macs and builds are found, and a pasted id leads to its page', { timeout }, async (t) => {
  const c = await start(t);
  const { h, page, dialog, field, options, active, open, type } = c;
  const host = await startBuildHost(h, { macs: 2 });
  await h.call('PATCH', `/rentals/${host.rentals[1]}`, { body: { name: '야간 빌드' } });
  const id = await submit(h);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (searchParams.has('q')) asked.push(`${pathname.split('/').at(-1)} ${searchParams.get('q')}`);
  });
  await open('/');
  await type('  ');
  // However slow the machine is, these come within the pause.
  await page.evaluate(`for (const text of ['s', 'shop', 'shop-i', 'shop-ios']) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(document.activeElement, text);
    document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await dialog.getByRole('group', { name: 'Builds' }).getByRole('option').waitFor();
  t.same(
    asked.sort(),
    ['builds shop-ios', 'rentals shop-ios'],
    'once for what was typed, and nothing for an empty text',
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/builds/${id}`);

  await type('야간');
  await dialog.getByRole('group', { name: 'Macs' }).getByRole('option', { name: '야간 빌드' }).click();
  await page.waitForURL(`**/macs/${host.rentals[1]}`);
  for (const [pasted, address] of [
    [` ${id}\n`, `/builds/${id}`],
    [host.rentals[0] ?? '', `/macs/${host.rentals[0]}`],
  ] as const) {
    await open('/');
    asked.length = 0;
    await type(pasted);
    t.same(await options(), [await active()], 'nothing else');
    await enterTwice(page);
    await page.waitForURL(`**${address}`);
    t.same(asked, []);
  }
  await open('/');
  await type('rb_0000000000000000');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText(/\S/).waitFor();
  await field.fill('queue');
  t.equal(await dialog.getByRole('alert').innerText(), '', 'another text, another attempt');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/queue');
  // A search whose text has changed is given up.
  const aborted: string[] = [];
  page.on('requestfailed', (request) => aborted.push(new URL(request.url()).searchParams.get('q') ?? ''));
  await page.route('**/agent/builds?*q=slow*', () => undefined);
  const slow = page.waitForRequest((request) => request.url().includes('q=slow'));
  await type('slow');
  await slow;
  await field.fill('야간');
  await until(() => aborted.includes('slow'), 'the request is aborted');
  await dialog.getByRole('option', { name: '야간 빌드' }).waitFor();
});

t.test('a search that fails says so in the list, and goes on by itself', { timeout }, async (t) => {
  const { h, context, page, dialog, field, open, type } = await start(t);
  await startBuildHost(h, { macs: 1 });
  await open('/');
  await page.locator('[data-live=open]').waitFor();
  await type('mac');
  await dialog.getByRole('group', { name: 'Macs' }).getByRole('option', { name: 'Mac 1' }).waitFor();
  await context.setOffline(true);
  await field.fill('mac 1');
  await dialog.getByRole('alert').getByText('Macs and builds could not be searched. The service').waitFor();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByRole('alert').getByText('could not be searched').waitFor();
  await field.fill('rent');
  await dialog.getByRole('option', { name: 'Rent a Mac' }).waitFor();
  await field.fill('mac 1');
  await dialog.getByRole('alert').getByText('could not be searched').waitFor();
  await page.locator('[data-live=lost]').waitFor();
  await context.setOffline(false);
  await dialog.getByRole('group', { name: 'Macs' }).getByRole('option', { name: 'Mac 1' }).waitFor();
  await dialog.getByRole('alert').getByText('could not be searched').waitFor({ state: 'detached' });
});

t.test('actions open their dialogs, once, and only for those who may', { timeout }, async (t) => {
  const c = await start(t, { operator: true });
  const { page, dialog, field, options, open, type } = c;
  await open('/');
  for (const [text, title, path] of [
    ['create an api', /^(New API key|New key|Create)/, '/keys'],
    ['invite', /^Invite/, '/members'],
    ['add a secret', /secret/i, '/secrets'],
    ['add a webhook', /webhook/i, '/webhooks'],
  ] as const) {
    await type(text);
    await enterTwice(page);
    const opened = page.getByRole('dialog', { name: title });
    await opened.waitFor();
    t.equal(
      new URL(page.url()).pathname + new URL(page.url()).search,
      `/o/apple-press${path}`,
      'nothing stays in the address',
    );
    // It has the focus, after the heading of the page.
    await opened.locator(':focus').waitFor();
    await page.keyboard.press('Control+k');
    t.equal(await dialog.count(), 0, 'not over what is being typed');
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('h1').waitFor();
    t.equal(await opened.count(), 0, 'it does not open again');
  }
  await type('dark');
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme=dark]').waitFor();
  await type('한국');
  await page.keyboard.press('Enter');
  await page.locator('html[lang=ko]').waitFor();
  await type('운영자');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/operator');
  await page.getByRole('link', { name: '호스트 등록' }).first().waitFor();
  await type('ㅎㅅㅌ');
  t.same(await options(), ['호스트', '호스트 등록']);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await field.fill('api 키');
  await dialog.getByText('‘api 키’에 대한 결과가 없습니다.').waitFor();
  t.same(
    asked.filter((one) => one.includes('/agent/')),
    [],
    'operators search no organization',
  );
  await field.fill('sign out');
  await enterTwice(page);
  await page.waitForURL('**/sign-in**');
  t.equal(asked.filter((one) => /^(POST|DELETE)/.test(one)).length, 1, 'one request');
});

t.test('a developer is offered what a developer may do', { timeout }, async (t) => {
  const { dialog, field, options, open, page } = await start(t, { role: 'developer' });
  await open('/');
  await page.keyboard.press('Control+k');
  await field.waitFor();
  const all = await options();
  for (const text of ['Builds', 'Members', 'Settings', 'Sign out']) t.ok(all.includes(text), text);
  for (const text of ['API keys', 'Audit log', 'Billing', 'Workspaces']) t.notOk(all.includes(text), text);
  for (const text of ['Create an API key', 'Invite a person', 'Add a secret']) t.notOk(all.includes(text), text);
  await field.fill('host_0000000000000000');
  await dialog.getByText('Nothing matches').waitFor();
  // An address that asks for the dialog opens nothing.
  await open('/members?do=invite');
  await page.waitForURL((url) => url.search === '');
  t.equal(await page.getByRole('dialog').count(), 0);
});

t.test('nothing is chosen while an input method composes', { timeout }, async (t) => {
  const { page, active, dialog, open, type } = await start(t);
  await open('/');
  await type('que');
  await page.evaluate(
    "document.activeElement.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))",
  );
  await page.evaluate(`for (const more of [{ isComposing: true }, { keyCode: 229 }]) {
    for (const key of ['Enter', 'ArrowDown', 'Escape']) {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
      document.activeElement.dispatchEvent(event);
    }
  }`);
  t.equal(await active(), 'Queue');
  t.equal(await dialog.count(), 1);
  t.match(page.url(), /apple-press$/);
});

t.test(
  'it looks right in both languages and themes, on a desktop, a phone and the narrowest screen',
  { timeout },
  async (t) => {
    const c = await start(t);
    const { h, page, dialog, open } = c;
    const host = await startBuildHost(h, { macs: 2 });
    await h.call('PATCH', `/rentals/${host.rentals[1]}`, { body: { name: 'W'.repeat(40) } });
    await submit(h);
    await open('/');
    await checkPage(t, c, 'palette', {
      async prepare() {
        await page.keyboard.press('Control+k');
        await dialog.getByRole('option').first().waitFor();
      },
    });
    await page.keyboard.press('Escape');
    await checkPage(t, c, 'palette-found', {
      async prepare() {
        await page.keyboard.press('Control+k');
        await dialog.getByRole('combobox').fill('m');
        await dialog
          .getByRole('group', { name: /^(Builds|빌드)$/ })
          .getByRole('option')
          .first()
          .waitFor();
      },
    });
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 640 });
    await open('/');
    t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, '320 px');
    await page.getByRole('button', { name: 'Search and commands' }).click();
    await dialog.getByRole('combobox').fill('w');
    await dialog.getByRole('group', { name: 'Macs' }).getByRole('option').first().waitFor();
    t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, '320 px, open');
    t.same(await violations(page), []);
    const SHOTS = process.env.CIDERMILL_SCREENSHOTS;
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/palette-320.png` });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  },
);
