import t from 'tap';
import { outcomeOf } from '../../host-agent/runner/outcome.js';
import { countOf, partWas } from '../../shared/count.js';

t.test('singular and plural', async (t) => {
  t.same(
    [0, 1, 2, 1n].map((count) => countOf(count, 'minute')),
    ['0 minutes', '1 minute', '2 minutes', '1 minute'],
  );
  t.equal(countOf(2, 'entry', 'entries'), '2 entries');
  t.same(
    [partWas(1, 1, 'artifact'), partWas(1, 5, 'artifact'), partWas(5, 5, 'artifact')],
    ['1 of 1 artifact was', '1 of 5 artifacts was', '5 of 5 artifacts were'],
  );
  const summary = (timeoutMs: number) =>
    outcomeOf({ step: 'script', cause: 'timeout', problem: null, end: null, timeoutMs }).summary?.text;
  t.match(summary(60_000), /limit of 1 minute and/);
  t.match(summary(120_000), /limit of 2 minutes and/);
  t.match(summary(1000), /limit of 1 second and/);
});
