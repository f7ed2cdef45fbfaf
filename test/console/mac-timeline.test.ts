// The timeline of a Mac.
import t from 'tap';
import type { MacStateEntry } from '../../client/types.js';
import { timelineRows } from '../../control-plane/console/pages/mac/timeline.js';

const NOW = Date.UTC(2026, 2, 1, 9);
const MIN = 60_000;
const at = (min: number) => new Date(NOW + min * MIN).toISOString();
const entry = (min: number, state: string, cause: string) =>
  ({ at: at(min), state, cause, job_id: null }) as MacStateEntry;

/** Builds of 2 minutes, every 5 minutes, until `until`; newest first. */
const builds = (count: number, until: number) =>
  Array.from({ length: count }, (_, n) => [
    entry(until - 5 * n, 'ready', 'build_ended'),
    entry(until - 5 * n - 2, 'building', 'build_started'),
  ]).flat();

const shortened = (entries: readonly MacStateEntry[], options = {}) =>
  timelineRows(entries, NOW, options).map((row) =>
    row.kind === 'builds'
      ? [row.builds, row.from, row.buildingMs / MIN, row.lastedMs / MIN]
      : [row.entry.state, row.lastedMs / MIN],
  );

t.test('builds in a row are one entry, between the other changes', async (t) => {
  const reset = [entry(-70, 'ready', 'job_done'), entry(-75, 'resetting', 'job_started')];
  const entries = [...builds(10, -5), ...reset, ...builds(2, -80), entry(-100, 'ready', 'prepared')];
  t.same(shortened(entries), [
    ['ready', 5],
    // The end of the newest build is the present state.
    [10, at(-52), 20, 47],
    ['ready', 18],
    ['resetting', 5],
    ['ready', 5],
    ['building', 2],
    ['ready', 3],
    ['building', 2],
    ['ready', 13],
  ]);
  t.same(shortened(entries, { each: true }).length, entries.length, 'each of them on request');
  t.same(shortened([]), []);
});

t.test('a page that ends within a build keeps what is older', async (t) => {
  const [, ...entries] = builds(4, -5);
  t.same(shortened([...entries, entry(-25, 'ready', 'build_ended')]), [
    ['building', 7],
    [3, at(-22), 6, 15],
    ['ready', 3],
  ]);
});
