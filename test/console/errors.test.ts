// The console's texts about errors.
import t from 'tap';
import { wordsOfError } from '../../control-plane/console/words/errors.js';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';

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
