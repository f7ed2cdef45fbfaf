// The frame of all pages: side bar, switchers, shortcuts, the end of a session.
import t from 'tap';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';

t.test('a phone has the side bar as a sheet', async (t) => {
  const c = await openConsole(t, { width: 390, motion: true });
  const { page } = c;
  await c.open('/');
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  const sheet = page.getByRole('dialog', { name: 'Main' });
  await sheet.getByRole('link', { name: 'Overview' }).waitFor();
  t.equal(await sheet.getByRole('link', { name: 'Overview' }).getAttribute('aria-current'), 'page');
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  t.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Open the navigation');
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await sheet.getByRole('link', { name: 'Notices' }).click();
  await sheet.waitFor({ state: 'hidden' });
  await page.waitForURL('**/notices');
});

t.test('keys open pages, and the focus is on their heading', async (t) => {
  const c = await openConsole(t, { motion: true });
  const { page } = c;
  await c.open('/');
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content', 'comes first');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await checkPage(t, c, 'shortcuts', {
    async prepare() {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.waitForURL('**/macs');
  await page.locator('h1:focus').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.waitForURL(`${c.h.siteUrl}/o/apple-press`);
});

t.test('organizations and workspaces are switched in the top bar', async (t) => {
  const c = await openConsole(t, { operator: true, motion: true });
  const { h, page } = c;
  const added = await h.inject({
    method: 'POST',
    url: `/api/runner/v1/organizations/${h.org.orgId}/workspaces`,
    headers: { cookie: c.cookie },
    payload: { name: 'Staging' },
  });
  const { id } = added.json() as { id: string };
  await c.open('/');
  await page.getByRole('button', { name: 'Workspace: All workspaces' }).click();
  const asked = page.waitForRequest((request) => request.url().includes('/agent/'));
  await page.getByRole('menuitemradio', { name: 'Staging' }).click();
  await page.waitForURL(`**/o/apple-press?workspace=${id}`);
  await page.getByRole('link', { name: 'Errors' }).click();
  await page.waitForURL(`**/errors?workspace=${id}`);
  t.match((await asked).url(), `workspace_id=${id}`, 'requests are about the workspace');
  await page.getByRole('button', { name: 'Organization: Apple Press' }).click();
  await page.getByRole('menuitemradio', { name: 'Operators' }).click();
  await page.waitForURL('**/operator');
});

t.test('the switchers of a phone can be read and used', async (t) => {
  const c = await openConsole(t, { width: 320, motion: true });
  const { h, page } = c;
  await h.store.run('UPDATE organizations SET name = :name', { name: 'Apple Press of the Upper Valley and Sons' });
  const opener = (name: string | RegExp) => page.getByRole('button', { name });
  /** How much of a name is shown, in px, and whether all of it. */
  const shown = async (name: string | RegExp) => {
    await opener(name).waitFor();
    const [text, ...rest] = await opener(name)
      .locator('span:not(.unseen)')
      .evaluateAll((all) =>
        (all as unknown as { clientWidth: number; scrollWidth: number }[]).map(({ clientWidth, scrollWidth }) => ({
          clientWidth,
          scrollWidth,
        })),
      );
    t.equal(rest.length, 0, 'one text');
    const box = await opener(name).boundingBox();
    t.ok(box && box.x >= 0 && box.x + box.width <= 320, `${name} is within the page`);
    return { px: text?.clientWidth ?? 0, whole: text !== undefined && text.scrollWidth <= text.clientWidth };
  };
  await c.open('/');
  t.ok((await shown(/^Organization: /)).px >= 80, 'alone');
  for (const name of ['iOS', 'Staging of the Lower Valley and Daughters']) {
    await h.inject({
      method: 'POST',
      url: `/api/runner/v1/organizations/${h.org.orgId}/workspaces`,
      headers: { cookie: c.cookie },
      payload: { name },
    });
  }
  await c.open('/');
  await opener('Workspace: All workspaces').click();
  await page.getByRole('menuitemradio', { name: 'Staging' }).click();
  const workspace = await shown('Workspace: Staging of the Lower Valley and Daughters');
  const organization = await shown(/^Organization: /);
  t.ok(Math.min(workspace.px, organization.px) >= 60, `${organization.px} and ${workspace.px} px`);
  await checkPage(t, c, 'switchers');
  const slash = await page.getByText('/', { exact: true }).boundingBox();
  const beside = await opener(/^Workspace: /).boundingBox();
  t.ok(slash && beside && beside.x - slash.x < 30, 'side by side where there is room');
  await page.setViewportSize({ width: 320, height: 700 });
  await opener(/^Workspace: /).click();
  await page.getByRole('menuitemradio', { name: 'iOS' }).click();
  t.ok((await shown('Workspace: iOS')).whole, 'a short name is whole');
  await opener(/^Organization: /).click();
  await page.getByRole('menuitemradio', { name: 'Apple Press' }).waitFor();
});

t.test('a session that has ended leads to sign-in and back', async (t) => {
  const c = await openConsole(t, { motion: true });
  const { h, page } = c;
  await c.open('/');
  await h.store.run('DELETE FROM sessions', {});
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.match(page.url(), '/sign-in');
});
