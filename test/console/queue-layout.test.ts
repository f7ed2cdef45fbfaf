// Where builds stand on the time axis of the queue.
import t from 'tap';
import type { AgentMac, ListedBuild } from '../../client/types.js';
import { layoutQueue } from '../../control-plane/console/pages/queue/layout.js';

const NOW = Date.UTC(2026, 2, 1, 9);
const MIN = 60_000;
const iso = (min: number) => new Date(NOW + min * MIN).toISOString();

const mac = (rental_id: string, more: Partial<AgentMac> = {}) =>
  ({ rental_id, state: 'ready', starts_at: null, ends_at: null, ...more }) as AgentMac;
const running = (id: string, on: string, from: number, until: number | null) =>
  ({
    id,
    status: 'running',
    rental_public_id: on,
    timeout_min: 60,
    timings: { started_at: iso(from), estimated_end_at: until === null ? null : iso(until) },
  }) as ListedBuild;
const waiting = (id: string, start: number | null, pinned: string | null = null) =>
  ({
    id,
    status: 'queued',
    pinned_rental_id: pinned,
    timeout_min: 60,
    estimated_start_at: start === null ? null : iso(start),
    timings: {},
  }) as ListedBuild;

const lay = (macs: AgentMac[], run: ListedBuild[], queued: ListedBuild[], partial = false) => {
  const { from, to, lanes } = layoutQueue({ macs, partial, running: run, queued }, NOW);
  const minutes = (at: number) => (at - NOW) / MIN;
  return {
    from: minutes(from),
    to: minutes(to),
    lanes: lanes.map(({ bars }) =>
      bars.map(({ kind, build, from, to, open }) => [kind, build?.id ?? null, minutes(from), minutes(to), open]),
    ),
  };
};

t.test('running builds until their expected end, or at most their time limit', async (t) => {
  const { lanes, from, to } = lay([mac('a'), mac('b')], [running('1', 'a', -5, 20), running('2', 'b', -30, null)], []);
  t.same(lanes, [[['running', '1', -5, 20, false]], [['running', '2', -30, 30, true]]]);
  t.same([from, to], [-30, 40]);
  const late = lay([mac('a')], [running('1', 'a', -50, -3)], []);
  t.same(late.lanes, [[['running', '1', -50, 0.5, false]]], 'a build that takes longer still reaches now');
});

t.test('waiting builds begin at their estimate, on the Mac that is free then', async (t) => {
  const { lanes } = lay(
    [mac('a'), mac('b')],
    [running('1', 'a', -5, 4), running('2', 'b', -5, 20)],
    [waiting('3', 4), waiting('4', 9), waiting('5', 20), waiting('6', null)],
  );
  t.same(lanes, [
    [
      ['running', '1', -5, 4, false],
      ['waiting', '3', 4, 9, true],
      ['waiting', '4', 9, 19, true],
    ],
    [
      ['running', '2', -5, 20, false],
      ['waiting', '5', 20, 30, true],
    ],
  ]);
  const limits = [waiting('1', 4), waiting('2', 64)].map(
    (build) => ({ ...build, estimate_basis: 'timeout_budget' }) as ListedBuild,
  );
  t.same(
    lay([mac('a')], [running('0', 'a', -56, null)], limits).lanes[0]?.slice(1),
    [
      ['waiting', '1', 4, 64, true],
      ['waiting', '2', 64, 124, true],
    ],
    'without history each takes its time limit, as the estimates assume',
  );
  const later = lay([mac('a')], [running('0', 'a', -5, 4)], [waiting('1', 4), waiting('2', 40)]);
  t.same(later.lanes[0]?.[1], ['waiting', '1', 4, 40, true], 'until the next one begins');
  const pinned = lay([mac('a'), mac('b')], [], [waiting('1', 3, 'b'), waiting('2', 3, 'gone')]);
  t.same(pinned.lanes, [[], [['waiting', '1', 3, 13, true]]]);
});

t.test('with only some of the Macs, a build that may start on another has no place', async (t) => {
  const busy = [running('1', 'a', -5, 20)];
  const queued = [waiting('2', 3), waiting('3', 20), waiting('4', 3, 'a')];
  t.same(
    lay([mac('a')], busy, queued, true).lanes[0]?.map(([, id]) => id),
    ['1', '3', '4'],
  );
  t.same(
    lay([mac('a')], busy, queued).lanes[0]?.map(([, id]) => id),
    ['1', '2', '3', '4'],
  );
});

t.test('why a Mac takes no builds', async (t) => {
  const { lanes } = lay(
    [
      mac('a', { state: 'reserved', starts_at: iso(25) }),
      mac('b', { state: 'resetting' }),
      mac('c', { ends_at: iso(15) }),
      mac('d', { state: 'preparing', ends_at: iso(15) }),
      mac('e', { ends_at: iso(600) }),
    ],
    [],
    [waiting('1', 0)],
  );
  t.same(lanes, [
    [['reserved', null, 0, 25, false]],
    [['maintenance', null, 0, 10, true]],
    [
      ['waiting', '1', 0, 10, true],
      ['ends', null, 15, 40, false],
    ],
    [['maintenance', null, 0, 10, true]],
    [],
  ]);
});

t.test('the axis is never too short nor too long', async (t) => {
  const short = lay([mac('a')], [], []);
  t.same([short.from, short.to], [-10, 40]);
  const long = lay([mac('a')], [running('1', 'a', -600, 900)], []);
  t.same([long.from, long.to], [-120, 480]);
});
