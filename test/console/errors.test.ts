// The console's texts about errors.
import t from 'tap';
import { deliveryError } from '../../control-plane/console/words/delivery-error.js';
import { codesWithWords, wordsOfError } from '../../control-plane/console/words/errors.js';
import { unreadableError } from '../../control-plane/events/app/delivery-receivers.js';
import { DISABLED } from '../../control-plane/events/app/webhooks.js';
import { isErrorCode } from '../../control-plane/platform/domain/error-catalog.js';
import { NOT_PUBLIC, readPublicUrl } from '../../control-plane/platform/outbound/public-url.js';

t.test('every code is one of the catalog, and both languages say what happened or what to do', async (t) => {
  for (const code of codesWithWords) {
    t.ok(isErrorCode(code), code);
    const [en, ko] = [wordsOfError(code, 'en'), wordsOfError(code, 'ko')];
    t.equal(en?.what, null, 'the message of the API says it');
    t.match(ko?.what, /[가-힣].*[.]$/u, code);
    for (const text of [en?.next, ko?.next]) if (text) t.match(text, /[.]$/u, code);
  }
  t.equal(wordsOfError('no_such_code', 'ko'), null);
  t.equal(wordsOfError('toString', 'ko'), null);
  t.equal(wordsOfError('invalid_secret_name', 'ko')?.detail, true, 'the message has the value');
});

t.test('every reason why a delivery failed has its text in both languages', async (t) => {
  const rules = { allowed: { hasName: () => false }, allowLoopback: false, unrestricted: false } as never;
  const refused = ['x', 'https://a:b@example.com', 'http://example.com', 'https://example.com:22'].map(
    (url) => {
      const read = readPublicUrl(url, rules);
      return 'problem' in read ? read.problem : '';
    },
  );
  const reasons = [
    ...refused,
    ...[NOT_PUBLIC, DISABLED, unreadableError('wh_1'), unreadableError('bld_1')],
    ...['must be an http or https address', 'answered 500', 'no answer within 10 seconds', 'stopped'],
    ...['no answer', 'no answer (ECONNREFUSED)', 'hooks.example.com cannot be resolved (ENOTFOUND)'],
  ];
  t.equal(new Set(reasons).size, 15);
  for (const reason of reasons) {
    t.equal(deliveryError(reason, 'en'), reason);
    t.match(deliveryError(reason, 'ko'), /[가-힣]/u, reason);
  }
  t.equal(deliveryError('answered 502', 'ko'), 'HTTP 502 응답');
  t.match(deliveryError('a.b cannot be resolved (ENOTFOUND)', 'ko'), /a\.b \(ENOTFOUND\)$/);
  t.equal(deliveryError('something newer', 'ko'), 'something newer');
});
