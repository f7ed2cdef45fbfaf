// Notices to organizations: every code in every language, with values that somebody else chose.
import t from 'tap';
import { languages } from '../../shared/language.js';
import { type NoticeMessage, noticeIn } from '../../shared/messages/notice.js';
import { organizationNotices } from '../../shared/messages/organization-notices.js';
import { hostileParams, noticeCodes } from '../harness/hostile-notices.js';

t.test('every code has a subject and a text, made of the values as they are', async (t) => {
  t.ok(noticeCodes.length > 12, noticeCodes.join());
  const both = noticeCodes.flatMap((code) => [code, `${code}_text`]);
  t.same(both.sort(), Object.keys(organizationNotices).sort());
  for (const code of noticeCodes) {
    const params = hostileParams(code);
    for (const language of languages) {
      const said = noticeIn(language, { code, params });
      if (!said) throw new Error(`${code} has no sentence`);
      const what = `${code} ${language}: ${said.subject}\n${said.text}`;
      t.match(said.subject, /\S/, what);
      t.match(said.text, /\S/, what);
      t.notMatch(said.subject, /\n/, what);
      t.notMatch(`${said.subject}${said.text}`, /undefined|NaN|\[object/, what);
      for (const value of Object.values(params)) {
        if (typeof value !== 'string' || !value.startsWith('<')) continue;
        t.ok(said.subject.includes(value) || said.text.includes(value), `${what} has ${value}`);
      }
    }
  }
});

t.test('values that are missing or do not fit make no sentence, nor does another code', async (t) => {
  const wrong: NoticeMessage[] = [
    { code: 'of_a_newer_version', params: {} },
    { code: 'member_left_text', params: { email: 'a@example.com' } },
    { code: 'toString', params: {} },
    { code: '__proto__', params: {} },
    { code: 'stored', params: {} },
    { code: 'stored', params: { subject_en: 'only', text_ko: 'half' } },
    ...noticeCodes.flatMap((code) => {
      const params = hostileParams(code);
      return Object.keys(params).flatMap((name) => {
        const { [name]: value, ...others } = params;
        return [others, { ...params, [name]: typeof value === 'string' ? 7 : '7' }].map((given) => ({
          code,
          params: given,
        }));
      });
    }),
  ];
  t.ok(wrong.length > 50);
  for (const notice of wrong) {
    for (const language of languages) t.equal(noticeIn(language, notice), null, JSON.stringify(notice));
  }
});

t.test('a list without entries is left out', async (t) => {
  const none = { to_payment_method: '', as_credit: '', canceled: '', macs: '' };
  const textOf = (params: object) =>
    languages.map((language) => {
      const notice = { code: 'order_refunded', params: { order_no: 'RT-1', won: 20_000, ...none, ...params } };
      return noticeIn(language, notice)?.text;
    });
  t.same(textOf({ to_payment_method: 'RT-1 (₩20,000)', macs: 'Mac 1 (rt_1)' }), [
    'Refunded to the original payment method: RT-1 (₩20,000).\nThe rentals of these Macs end now: Mac 1 (rt_1).',
    '원래 결제 수단으로 환불합니다: RT-1 (₩20,000)\n다음 Mac의 대여가 지금 종료됩니다: Mac 1 (rt_1)',
  ]);
  t.same(textOf({ canceled: 'RT-2' }), ['Canceled unpaid orders: RT-2.', '결제하지 않은 주문을 취소했습니다: RT-2']);
});

t.test('a notice of an older version says what it said', async (t) => {
  const en = { subject: 'Hello', text: 'World' };
  const ko = { subject: '안녕', text: '세상' };
  const params = { subject_en: 'Hello', text_en: 'World' };
  const both = { ...params, subject_ko: '안녕', text_ko: '세상' };
  t.same(noticeIn('en', { code: 'stored', params }), en);
  t.equal(noticeIn('ko', { code: 'stored', params }), null, 'it was in English only');
  t.same(noticeIn('en', { code: 'stored', params: both }), en);
  t.same(noticeIn('ko', { code: 'stored', params: both }), ko);
});
