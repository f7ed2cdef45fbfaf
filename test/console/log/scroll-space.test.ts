// Scrolling through a log of any length: no browser shows an element of its height.
import fc from 'fast-check';
import t from 'tap';
import {
  lastPosition,
  moved,
  positionAt,
  rowsInWindow,
  type Space,
  START,
  scrolledHeight,
  shareOf,
  showing,
} from '../../../control-plane/console/log/scroll-space.js';

const space = (rows: number, height = 600, heightOf: Space['heightOf'] = () => 20): Space => ({
  rows,
  height,
  rowHeight: 20,
  heightOf,
});
/** Heights of wrapped rows. */
const uneven = (row: number) => 20 * (1 + ((row * 7) % 5));

t.test('a million lines', async (t) => {
  const million = space(1_000_000);
  t.equal(scrolledHeight(million), 4_000_000, 'below the limit of every browser');
  t.same(lastPosition(million), { row: 999_970, px: 0 });
  t.same(positionAt(million, 0), START);
  t.same(positionAt(million, 1), lastPosition(million));
  t.equal(positionAt(million, 0.5).row, 499_985);
  t.same(moved(million, { row: 499_999, px: 5 }, 100), { row: 500_004, px: 5 }, 'a wheel moves by pixels');
  t.same(moved(million, { row: 0, px: 5 }, -100), START);
  t.same(moved(million, { row: 999_969, px: 0 }, 100), lastPosition(million));
  t.same(showing(million, START, 29), START, 'in the window already');
  t.equal(showing(million, START, 500_000).row, 499_990, 'a third below its top');
  t.same(showing(million, START, 999_999), lastPosition(million));
  t.same(showing(million, { row: 500, px: 0 }, 499), { row: 489, px: 0 });
});

t.test('a log that is shorter than the window does not scroll', async (t) => {
  for (const rows of [0, 1, 30]) {
    t.same(lastPosition(space(rows)), START, `${rows} rows`);
    t.same(moved(space(rows), START, 500), START);
    t.equal(shareOf(space(rows), START), 0);
    t.same(positionAt(space(rows), 0.7), START);
  }
  t.same(rowsInWindow(space(3), START, 300), { first: 0, last: 2, top: 0 });
});

t.test('of any heights: moving back and forth, shares, and what is in the window', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 31, max: 5_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 900 }),
      fc.boolean(),
      (rows, share, delta, wraps) => {
        const all = space(rows, 600, wraps ? uneven : undefined);
        const at = positionAt(all, share);
        t.ok(Math.abs(shareOf(all, at) - share) < 1e-6, 'a share is that of its position');
        const down = moved(all, at, delta);
        const last = lastPosition(all);
        if (shareOf(all, down) < 1) {
          const back = moved(all, down, -delta);
          t.equal(back.row, at.row);
          t.ok(Math.abs(back.px - at.px) < 1e-6);
        } else t.same(down, last);
        t.ok(shareOf(all, down) >= shareOf(all, at));
        const window = rowsInWindow(all, at, 0);
        let bottom = window.top;
        for (let row = window.first; row <= window.last; row++) bottom += all.heightOf(row);
        t.ok(window.top <= 0 && bottom >= 600 - 1e-6, 'the window is filled');
        const wider = rowsInWindow(all, at, 300);
        t.ok(wider.first <= window.first && wider.last >= window.last && wider.last < rows);
      },
    ),
    { numRuns: 100 },
  );
});
