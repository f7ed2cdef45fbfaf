// Forms say what is wrong beside the field that it is about: in the language of the reader, and once.
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { type ConsoleOptions, type OpenedConsole, openConsole } from '../../harness/console/open-console.js';
import { addHost, rent } from '../../harness/renting.js';

async function openKorean(t: Test, options: ConsoleOptions = {}) {
  const c = await openConsole(t, options);
  await c.context.addCookies([{ name: 'cidermill_language', value: 'ko', url: c.h.siteUrl }]);
  return c;
}

/** Submits the form of a new key, which the service refuses. */
async function createKeyRefused({ open, page }: OpenedConsole, status: number, error: object): Promise<void> {
  await open('/keys');
  await page.route('**/api-keys', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status, json: { error } }) : route.continue(),
  );
  await page.getByRole('button', { name: '키 만들기' }).click();
  await page.locator('[name=name]').fill('CI');
  await page.getByRole('dialog').locator('button[type=submit]').click();
}

/** The texts that describe a field. */
async function described(page: Page, field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()));
  return texts.join(' ');
}

/** The field is marked, has the focus and this description, and nothing is said elsewhere. */
async function isRefused(t: Test, page: Page, field: Locator, why: RegExp): Promise<void> {
  await page.locator('[aria-invalid=true]').first().waitFor();
  t.equal(await field.getAttribute('aria-invalid'), 'true', `${why}: marked`);
  t.match(await described(page, field), why);
  const focused = `document.activeElement === document.querySelector('[aria-invalid=true]')`;
  t.equal(await page.evaluate(focused), true, `${why}: focused`);
  t.equal(await page.getByText(why).count(), 1, `${why}: said once`);
  t.equal(await page.locator('[role=alert]:not(:empty)').count(), 0, `${why}: not at the form too`);
  t.notMatch(await page.locator('body').innerText(), /요청 ID|must (be|have|not)/i, `${why}: no request, no English`);
}

t.test('an API key, in Korean', async (t) => {
  const c = await openKorean(t);
  const { page } = c;
  await c.open('/keys');
  const opened = async () => {
    await page.getByRole('button', { name: /^(New key|키 만들기)$/ }).click();
    await page.getByRole('dialog').waitFor();
  };
  await opened();
  const dialog = page.getByRole('dialog');
  const send = () => dialog.locator('button[type=submit]').click();
  await send();
  await isRefused(t, page, dialog.locator('[name=name]'), /필수 항목입니다\./);
  await dialog.locator('[name=name]').fill('CI');
  t.equal(await page.locator('[aria-invalid=true]').count(), 0, 'what was changed is no longer marked');
  const chosen = dialog.getByRole('checkbox', { checked: true });
  while ((await chosen.count()) > 0) await chosen.first().click();
  await send();
  await isRefused(t, page, dialog.getByRole('checkbox').first(), /1개 이상이어야 합니다\./);
  await dialog.getByRole('checkbox').first().click();
  await dialog.locator('[name=cidrs]').fill('203.0.113.0/24, 300.1.1.1');
  await send();
  await isRefused(t, page, dialog.locator('[name=cidrs]'), /2번째 값: .*300\.1\.1\.1/);
  await checkPage(t, c, 'fields-key', {
    async prepare(now) {
      await now.getByRole('button', { name: /^(New key|키 만들기)$/ }).click();
      await now.getByRole('dialog').locator('button[type=submit]').click();
      await now.locator('[aria-invalid=true]').first().waitFor();
    },
  });
});

t.test('a webhook, in Korean', async (t) => {
  const c = await openKorean(t, { harness: { receivers: true } });
  const { page } = c;
  await c.open('/webhooks');
  await page.getByRole('button', { name: '웹훅 추가' }).click();
  const dialog = page.getByRole('dialog');
  const url = dialog.locator('[name=url]');
  const send = () => dialog.locator('button[type=submit]').click();
  await url.fill('hooks');
  await send();
  await isRefused(t, page, url, /올바른 URL이 아닙니다\./);
  await url.fill('https://10.0.0.1/hook');
  await send();
  await isRefused(t, page, url, /사설 주소나 특수 용도 주소로는 보낼 수 없습니다\./);
});

t.test('names of Macs that are rented, in Korean, on the smallest phone', async (t) => {
  const c = await openKorean(t, { width: 320 });
  const { page, h } = c;
  const host = await addHost(h, 4);
  await rent(h, host, { names: ['Release'] });
  await c.open('/rent?tier=m4&units=2');
  await page.getByText('Mac 이름 정하기').click();
  const [first, second] = [page.locator('[name="names.0"]'), page.locator('[name="names.1"]')];
  const send = () => page.locator('button[type=submit]').click();
  await first.fill('Beta');
  await second.fill('release');
  await send();
  await isRefused(t, page, second, /이미 사용 중입니다: release/);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  t.ok(Number(wide) <= 320, `nothing to scroll to the side for (${wide})`);
});

t.test('a number field shows its number, whatever an input method types', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  const host = await addHost(h, 4);
  await rent(h, host);
  await c.open('/rent?tier=m4&units=2');
  const field = page.locator('input[aria-roledescription]').first();
  await field.click();
  await page.keyboard.insertText('ㅂ');
  t.equal(await field.inputValue(), '2');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('3');
  await page.waitForURL(/units=3/);
  t.equal(await field.inputValue(), '3');
});

t.test('what belongs to no field is said at the form; an internal error with its request', async (t) => {
  const c = await openKorean(t);
  const { page } = c;
  const error = { code: 'internal_error', message: 'It failed.', request_id: 'r_9', retryable: true };
  await createKeyRefused(c, 500, error);
  await page.getByRole('alert').getByText('r_9').waitFor();
  t.equal(await page.locator('[aria-invalid=true]').count(), 0);
});

t.test('what the form cannot place is said at the form, and what is at a field only there', async (t) => {
  const c = await openKorean(t);
  const { page } = c;
  const fields = [
    { path: 'name', code: 'required', params: {}, message: 'Required.' },
    { path: 'color', code: 'unknown_field_here', params: {}, message: 'Unknown.' },
  ];
  await createKeyRefused(c, 400, { code: 'invalid_request', message: 'Not valid.', details: { fields } });
  const alert = page.getByRole('dialog').getByRole('alert');
  await alert.getByText('color').waitFor();
  t.equal(await alert.getByText('name', { exact: true }).count(), 0, 'the field says it');
  t.equal(await page.locator('[aria-invalid=true]').count(), 1);
  t.equal(await page.locator('[role=alert] [lang=en]').count(), 0);
});

t.test('an error has one language', async (t) => {
  const c = await openKorean(t);
  const { page } = c;
  for (const [code, message] of [
    ['keys_limit', 'The organization has reached its limit of 100 API keys.'],
    ['invalid_request', 'It is not valid.'],
  ]) {
    await createKeyRefused(c, 409, { code, message });
    const said = await page.getByRole('dialog').getByRole('alert').innerText();
    t.match(said, /[가-힣]/);
    t.notMatch(said, /[a-z]{3}/, `${code}: ${said}`);
    await page.unroute('**/api-keys');
  }
});
