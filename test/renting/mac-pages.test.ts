// Macs page by page: GET /rentals with `limit` and `cursor`, and GET /status with `limit`.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { withMacs } from '../harness/submitting.js';

t.test('pages of Macs have what the whole list has, also while Macs end', async (t) => {
  const { h, host } = await withMacs(t, 5);
  const [pinned = ''] = host.rentals;
  for (let i = 0; i < 8; i++) {
    await h.call('POST', '/builds', { body: { script: 'make', repo: `apple/${i}`, rental_id: pinned } });
  }
  await host.start();
  const read = async (query: string) => (await h.call('GET', `/rentals${query}`)).json();
  const whole = await read('');
  t.equal(whole.next_cursor, null);
  t.equal(whole.rentals.length, 5);
  t.match(whole.queue, { running_count: 1, queued_count: 7, queued: { length: 7 } });

  const first = await read('?limit=2');
  t.same(first.rentals, whole.rentals.slice(0, 2));
  t.match(first.queue, { running_count: 1, queued_count: 7, queued: { length: 2 } });
  t.same(first.queue.queued, whole.queue.queued.slice(0, 2), 'the builds that start next');
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  const third = await read(`?limit=2&cursor=${second.next_cursor}`);
  t.same([...second.rentals, ...third.rentals], whole.rentals.slice(2));
  t.equal(third.next_cursor, null);
  t.same((await read(`?cursor=${first.next_cursor}`)).rentals, whole.rentals.slice(2));

  const last = whole.rentals[1].rental_id;
  await h.store.run(`UPDATE macs SET state = 'ended' WHERE rental_id = :last`, { last });
  const later = await read(`?limit=2&cursor=${first.next_cursor}`);
  t.same(later.rentals, second.rentals, 'the Mac before the page has ended meanwhile');
  for (const query of ['?limit=0', '?limit=201', '?cursor=5', '?cursor=1-%24', '?limit=2&limit=2']) {
    t.equal((await h.call('GET', `/rentals${query}`)).json().error.code, 'invalid_query', query);
  }
});

t.test('a limited status has the most urgent advice, and counts everything', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 2, hours: 48 });
  await startBuildHost(h, { macs: 1, tier: 'm4-pro', hours: 24 });
  const [soonest] = (await startBuildHost(h, { macs: 1, tier: 'm4-max', hours: 10 })).rentals;
  await h.clock.advance(30 * 60_000);
  for (let i = 0; i < 16; i++) {
    await h.call('POST', '/builds', {
      body: { script: 'make', repo: `apple/${i}`, rental_id: host.rentals[0] },
    });
  }
  const read = async (query: string) => (await h.call('GET', `/status${query}`)).json();
  const whole = await read('');
  t.equal(whole.macs.length, 4);
  const limited = await read('?limit=1');
  t.same(limited.macs, whole.macs.slice(0, 1));
  t.match(limited, {
    plan: whole.plan,
    queue: { queued_count: whole.queue.queued_count, queued: { length: 1 } },
  });
  t.match(limited.advice, [{ kind: 'queue_backlog' }]);
  t.match(whole.advice, [{ kind: 'extend_recommended' }, { rental_id: soonest }, { kind: 'queue_backlog' }]);
  t.same((await read('?limit=2')).advice, [whole.advice[2], whole.advice[1]]);
  t.same(await read('?limit=200'), whole);
  t.equal((await h.call('GET', '/status?limit=0')).json().error.code, 'invalid_query');
});
