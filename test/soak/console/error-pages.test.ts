// The pages of the error codes in a real browser, at desktop width and on the narrowest phone.
import t from 'tap';
import { errorCatalog } from '../../../control-plane/platform/domain/error-catalog.js';
import { openPage } from '../../harness/console/browser.js';
import { startControlPlane } from '../../harness/console/control-plane.js';

t.test('every page fits, in light and dark, without CSP violations', async (t) => {
  const service = await startControlPlane(t);
  const codes = Object.keys(errorCatalog);
  const pages = ['', '/no_such_code', ...codes.map((code) => `/${code}`)];
  for (const look of [{ width: 320, dark: true }, { width: 1_280 }]) {
    const { page, complaints } = await openPage(t, look);
    for (const path of pages) {
      const answer = await page.goto(`${service.siteUrl}/docs/errors${path}`);
      t.equal(answer?.status(), path === '/no_such_code' ? 404 : 200, path);
      const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      t.equal(hidden, 0, `${path} at ${look.width}: nothing to scroll to the side for`);
    }
    t.same(complaints, []);
    const links = page.getByRole('link');
    await page.goto(`${service.siteUrl}/docs/errors`);
    t.equal(await links.count(), Object.keys(errorCatalog).length, 'the list leads to all of them');
    await links.first().click();
    t.match(await page.getByRole('heading', { level: 1 }).textContent(), Object.keys(errorCatalog)[0]);
  }
});
