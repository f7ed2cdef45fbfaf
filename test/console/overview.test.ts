// What the overview says of the status.
import t from 'tap';
import type { Advice, AgentMac, AgentStatus, ListedBuild } from '../../client/types.js';
import { newestBuild } from '../../control-plane/console/pages/overview/newest-build.js';
import { shownAdvice } from '../../control-plane/console/pages/overview/shown-advice.js';

t.test('each piece of advice is said once', async (t) => {
  const about = (kind: Advice['kind'], rental_id: string) => ({ kind, rental_id }) as Advice;
  const shown = (advice: Advice[], macs: object[]) =>
    shownAdvice({ advice, macs: macs as AgentMac[] }).map(({ kind, rental_id }) => [kind, rental_id]);
  const none = { kind: 'no_active_mac' } as Advice;
  t.same(shown([none], []), [], 'the list of Macs is empty, and says so');
  t.same(shown([none], [{ state: 'reserved' }]), [['no_active_mac', undefined]]);
  const ending = [
    about('extend_recommended', 'rt_1'),
    about('extend_recommended', 'rt_2'),
    about('expiring_soon', 'rt_2'),
    about('mac_unavailable', 'rt_2'),
  ];
  t.same(shown(ending, [{}, {}]), [
    ['extend_recommended', 'rt_1'],
    ['expiring_soon', 'rt_2'],
    ['mac_unavailable', 'rt_2'],
  ]);
});

t.test('the newest build may wait, run or have ended', async (t) => {
  const at = (id: string, minute: number) =>
    ({ id, timings: { created_at: new Date(minute * 60_000).toISOString() } }) as ListedBuild;
  const newest = (queued: ListedBuild[], running: ListedBuild[], last_builds: ListedBuild[]) =>
    newestBuild({ queue: { queued, running } as unknown as AgentStatus['queue'], last_builds })?.id;
  t.equal(newest([], [], []), undefined);
  t.equal(newest([at('w1', 4), at('w2', 7)], [at('r', 3)], [at('e', 5)]), 'w2');
  t.equal(newest([at('w', 1)], [at('r', 3)], [at('e1', 5), at('e2', 4)]), 'e1');
  t.equal(newest([at('w', 1)], [at('r', 3)], []), 'r');
});
