import t from 'tap';
import { sizeOf, spanOf } from '../../shared/amounts.js';

t.test('a length of time has the largest unit of which it is several', async (t) => {
  for (const [ms, text] of [
    [30 * 86_400_000, '30 days'],
    [86_400_000, '24 hours'],
    [3_600_000, '60 minutes'],
    [5_400_000, '90 minutes'],
    [60_000, '60 seconds'],
    [1_500, '1500 milliseconds'],
    [1, '1 millisecond'],
  ] as const) {
    t.equal(spanOf(ms), text);
  }
});

t.test('a size has the largest unit that divides it', async (t) => {
  for (const [bytes, text] of [
    [3 * 1024 ** 3, '3 GiB'],
    [64 * 1024, '64 KiB'],
    [1_500, '1500 bytes'],
    [0, '0 bytes'],
  ] as const) {
    t.equal(sizeOf(bytes), text);
  }
});
