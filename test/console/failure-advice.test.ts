// What the page of a failed build says to do.
import t from 'tap';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { failureTable } from '../../control-plane/builds/domain/failure-table.js';
import { failureAdvice } from '../../control-plane/console/builds/failure-advice.js';

t.test('every suggestion of the API has its text in both languages', async (t) => {
  for (const { suggestion, elsewhere } of [...Object.values(failureReasons), ...failureTable]) {
    for (const text of [suggestion, elsewhere]) {
      if (text === undefined) continue;
      t.equal(failureAdvice(text, 'en'), text);
      t.match(failureAdvice(text, 'ko'), /[가-힣].*[.]$/u, text);
    }
  }
});

t.test('a suggestion that the console does not know stays as it is', async (t) => {
  for (const text of ['Something of a newer service.', 'toString']) t.equal(failureAdvice(text, 'ko'), text);
});
