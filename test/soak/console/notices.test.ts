// The page of notices.
import t from 'tap';
import { notify } from '../../../control-plane/access/app/notices.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';

const TIMEOUT = { timeout: 120_000 };

t.test('notices appear by themselves, and are marked as read', TIMEOUT, async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  const tell = (kind: string, subject: string, text: string) =>
    h.store.transaction((tx) =>
      notify(tx, { clock: h.clock, wake: h.wake, mail: false }, { accountId: h.org.id, kind, subject, text }),
    );
  await c.open('/notices');
  await checkPage(t, c, 'notices-empty');
  await page.getByText('Live', { exact: true }).waitFor();
  await tell(
    'waitlist',
    '2 Macs of the tier m4 are free',
    'You asked to be told. Order them within an hour.',
  );
  await page.getByRole('heading', { name: '2 Macs of the tier m4 are free' }).waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('new', { exact: true }).waitFor({ state: 'detached' });

  await h.clock.advance(2 * 3_600_000);
  const leaked =
    'It was found in a public repository and has been revoked.\n\nCreate a new one in the console.';
  await tell('key_leaked', 'The API key "CI" was revoked: it was found in public', leaked);
  await page.getByText('1 unread').waitFor();
  await page.getByRole('link', { name: 'Notices 1 new' }).waitFor();
  await checkPage(t, c, 'notices');
});
