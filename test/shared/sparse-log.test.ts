import t from 'tap';
import { createAdvancingClock } from '../../shared/clock.js';
import { createSparseLog } from '../../shared/sparse-log.js';

t.test('a line a minute for each subject, with the number of those before', async (t) => {
  const clock = createAdvancingClock({ start: 1 });
  const log = createSparseLog(clock, 2);
  const lines: [string, number][] = [];
  const say = (subject: string) => log.say(subject, (leftOut) => lines.push([subject, leftOut]));
  for (let i = 0; i < 5; i++) say('a');
  say('b');
  t.same(lines.splice(0), [
    ['a', 0],
    ['b', 0],
  ]);
  await clock.advance(59_999);
  say('a');
  t.same(lines.splice(0), []);
  await clock.advance(1);
  say('a');
  t.same(lines.splice(0), [['a', 5]]);
  say('c');
  say('b');
  t.same(lines, [
    ['c', 0],
    ['b', 0],
  ]);
});
