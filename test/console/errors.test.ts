// The console's texts about errors.
import t from 'tap';
import { failureOf } from '../../control-plane/console/data/failure.js';
import { refusalText, wordsOfError } from '../../control-plane/console/words/errors.js';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import { hostRefusal } from '../../shared/messages/host-refusals.js';

t.test('every code of the catalog has its text in Korean, and both languages say what to do', async (t) => {
  for (const code of Object.keys(errorCatalog)) {
    const [en, ko] = [wordsOfError(code, 'en'), wordsOfError(code, 'ko')];
    t.equal(en?.what, null, 'the message of the API says it');
    t.match(ko?.what, /[가-힣].*[.]$/u, code);
    for (const text of [en?.next, ko?.next]) if (text) t.match(text, /[.]$/u, code);
    t.notMatch(en?.next ?? '', /[가-힣]|`/u, `${code}: for a person, in English`);
    if (ko?.next) t.match(ko.next, /[가-힣]/u, code);
  }
  t.equal(wordsOfError('no_such_code', 'ko'), null);
  t.equal(wordsOfError('toString', 'ko'), null);
});

t.test('a refused change says why, of each host and in the language of the reader', async (t) => {
  const refused = (refusals: unknown) => failureOf(409, { error: { code: 'host_state', details: { refusals } } }, null);
  const [pending, tier] = [hostRefusal('pending'), hostRefusal('of_other_tier', { tier: 'm4' })];
  const one = refused([{ subject: null, ...tier }]).refusals;
  t.equal(refusalText(one, 'en'), 'The host does not belong to the tier m4.');
  t.equal(refusalText(one, 'ko'), '이 등급의 호스트가 아닙니다: m4');
  const several = refused([
    { subject: 'a (host_a)', ...pending },
    { subject: 'b (host_b)', code: 'of_a_newer_version', params: {}, text: 'New.' },
  ]).refusals;
  t.equal(refusalText(several, 'ko'), 'a (host_a): 승인되지 않은 호스트입니다. 먼저 승인하세요. b (host_b): New.');
  for (const none of [[], undefined, 'x', [7]]) t.equal(refusalText(refused(none).refusals, 'ko'), null);
});
