// The page of notices.
import t from 'tap';
import { notify } from '../../../control-plane/access/app/notices.js';
import { keyLeaked } from '../../../control-plane/access/domain/leak-report.js';
import { macsAvailable } from '../../../control-plane/renting/domain/waitlist.js';
import type { NoticeMessage } from '../../../shared/messages/notice.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';

t.test('notices appear by themselves, and are marked as read', async (t) => {
  const c = await openConsole(t, { role: 'developer' });
  const { page, h } = c;
  const tell = (kind: string, says: NoticeMessage) =>
    h.store.transaction((tx) =>
      notify(tx, { clock: h.clock, wake: h.wake, mail: false }, { accountId: h.org.id, kind, says }),
    );
  await c.open('/notices');
  await checkPage(t, c, 'notices-empty');
  t.equal(await page.getByText('by e-mail').count(), 0, 'a service that sends no e-mail promises none');
  await page.getByText('Live', { exact: true }).waitFor();
  await tell('waitlist', macsAvailable({ tier: 'm4', name: 'M4', priceWon: 20_000 }, 2));
  await page.getByRole('heading', { name: '2 Macs of the tier M4 can be ordered again' }).waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('new', { exact: true }).waitFor({ state: 'detached' });

  await h.clock.advance(2 * 3_600_000);
  await tell('key_leaked', keyLeaked({ name: 'CI', prefix: 'cm_1a2b' }, 'https://code.example/app/blob/main/.env'));
  await page.getByText('1 unread').waitFor();
  await page.getByRole('link', { name: 'Notices 1 new' }).waitFor();
  await checkPage(t, c, 'notices');

  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '한국어' }).click();
  await page.getByRole('heading', { name: 'M4 등급의 Mac 2대를 다시 주문할 수 있습니다' }).waitFor();
  await page.getByRole('heading', { name: 'API 키 "CI" (cm_1a2b...) 유출 발견, 폐기 완료' }).waitFor();

  const older = { en: { subject: 'Hello', text: 'World' } };
  const both = { ...older, ko: { subject: '안녕', text: '세상' } };
  for (const [kind, said] of [
    ['waitlist', older],
    ['key_leaked', both],
  ] as const) {
    const params = JSON.stringify(said);
    await h.store.run(`UPDATE notices SET code = 'stored', params = :params WHERE kind = :kind`, { kind, params });
  }
  await page.reload();
  await page.getByRole('heading', { name: '안녕' }).locator('[lang=ko]').waitFor();
  await page.getByRole('heading', { name: 'Hello' }).locator('[lang=en]').waitFor();
});
