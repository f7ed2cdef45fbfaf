// The console's texts about errors.
import t from 'tap';
import { codesWithWords, wordsOfError } from '../../control-plane/console/words/errors.js';
import { isErrorCode } from '../../control-plane/platform/domain/error-catalog.js';

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
