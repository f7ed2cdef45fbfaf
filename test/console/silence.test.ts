// For how long a build has printed nothing, on a page that stays open.
import t from 'tap';
import { silentSeconds } from '../../control-plane/console/pages/build/silence.js';

t.test('a silence grows while the page is open', async (t) => {
  const build = (silent_s: number | null) => ({ timings: { silent_s } }) as Parameters<typeof silentSeconds>[0];
  const rows: [silent: number | null, laterMs: number, shown: number | null][] = [
    [null, 500_000, null],
    [90, 0, 90],
    [90, 2_900, 92],
    [90, -5_000, 90],
    [40, 19_000, null],
    [40, 20_000, 60],
    [3, 500_000, null],
  ];
  for (const [silent, laterMs, shown] of rows) {
    t.equal(silentSeconds(build(silent), 1_000_000, 1_000_000 + laterMs), shown, `${silent} + ${laterMs} ms`);
  }
});
