// How long a Mac is still rented, as every page of the console says it.
import t from 'tap';
import { isPaused, macTimeLeft } from '../../control-plane/console/macs/time-left.js';
import { createFormat } from '../../control-plane/console/words/format.js';

const NOW = Date.UTC(2026, 2, 1, 9);
const HOUR = 3_600_000;
const DAY_S = 86_400;
const ENDLESS_S = 2 ** 31 - 1;

t.test('the time left of a Mac, in both languages', async (t) => {
  const en = createFormat('en');
  const ko = createFormat('ko');
  // State, hours bought, its end from now in ms, remaining_s of the last answer.
  for (const [state, hours, end, remaining_s, english, korean] of [
    ['ready', 24, 24 * HOUR, DAY_S, '1 d', '1일'],
    ['ready', 24, 24 * HOUR - 1, DAY_S - 1, '23 h 59 min', '23시간 59분'],
    ['building', 24, 24 * HOUR - 400, DAY_S, '23 h 59 min', '23시간 59분'],
    ['ready', 48, 25 * HOUR, DAY_S, '1 d 1 h', '1일 1시간'],
    ['resetting', 24, 61_900, DAY_S, '1 min 1 s', '1분 1초'],
    // Its end is provisional: the one that it had if it had been ready when the page was read.
    ['preparing', 24, 24 * HOUR - 90_000, DAY_S, '1 d', '1일'],
    ['reserved', 24, 72 * HOUR, DAY_S, '1 d', '1일'],
    // What an operator granted ends at a fixed time, ready or not.
    ['preparing', null, 2 * HOUR, DAY_S, '2 h', '2시간'],
    ['ready', 24, -5, 3, '0 s', '0초'],
  ] as const) {
    const mac = { state, hours, remaining_s, ends_at: new Date(NOW + end).toISOString() };
    const left = macTimeLeft(mac, NOW);
    t.same([en.left(left), ko.left(left)], [english, korean], `${state}, ${hours} h, ends in ${end} ms`);
  }
  for (const ends_at of [null, new Date(NOW + 2 * ENDLESS_S * 1_000).toISOString()]) {
    t.equal(
      macTimeLeft({ state: 'ready', hours: null, remaining_s: ENDLESS_S, ends_at }, NOW),
      Number.POSITIVE_INFINITY,
    );
  }
});

t.test('bought time is paused until the Mac is ready', async (t) => {
  const paused = (state: string, hours: number | null) => isPaused({ state, hours, remaining_s: 1, ends_at: null });
  t.same(
    ['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating', 'ended'].filter((each) => paused(each, 24)),
    ['reserved', 'preparing'],
  );
  t.notOk(paused('preparing', null));
});
