// When an open page counts as watched by nobody.
import t from 'tap';
import { createAttention } from '../../control-plane/console/data/attention.js';

const MINUTE = 60_000;

t.test('a page is unattended after five minutes without a key or a pointer', async (t) => {
  const page = new EventTarget();
  let now = 7;
  const { isUnattended } = createAttention(page, () => now);
  const seen = [];
  now += 5 * MINUTE - 1;
  seen.push(isUnattended());
  now += 1;
  seen.push(isUnattended());
  page.dispatchEvent(new Event('keydown'));
  seen.push(isUnattended());
  now += 5 * MINUTE;
  page.dispatchEvent(new Event('visibilitychange'));
  seen.push(isUnattended());
  t.same(seen, [false, true, false, true]);
});
