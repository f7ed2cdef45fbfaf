// The history of a Mac's states: an entry for each change, whatever changed it.
import t from 'tap';
import { type Harness, startHarness } from '../harness/harness.js';
import { addHost, DAY, HOUR, iso, order, pay, rent } from '../harness/renting.js';
import { withMacs } from '../harness/submitting.js';

interface Entry {
  at: string;
  state: string;
  cause: string;
  job_id: string | null;
}

async function page(h: Harness, rental: string, query = ''): Promise<{ entries: Entry[]; next_before: string | null }> {
  const answer = await h.call('GET', `/rentals/${rental}/history${query}`);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json();
}

/** `state cause` of each entry, oldest first. */
const story = async (h: Harness, rental: string) =>
  (await page(h, rental)).entries.reverse().map(({ state, cause }) => `${state} ${cause}`);

t.test('a reservation begins, its Mac is prepared, builds, lost with its host and back, and it ends', async (t) => {
  const h = await startHarness(t, { limits: { mac_states_kept_ms: 4 * DAY } });
  const host = await addHost(h, 1);
  const { order_no } = await order(h, { start: iso(h.clock.now() + DAY) });
  await pay(h, order_no);
  const [rental = ''] = (await h.call('GET', `/orders/${order_no}`)).json().rental_ids;
  t.same(await story(h, rental), ['reserved rented']);
  const later = async (ms: number) => {
    await h.pass(ms);
  };
  await later(DAY);
  await host.mac(rental, 'ready');
  await later(HOUR);
  await host.disconnect();
  await later(h.limits.host_lost_after_ms);
  await host.connect();
  await host.mac(rental, 'ready');
  await host.mac(rental, 'ready');
  const all = ['reserved rented', 'preparing begun', 'ready prepared', 'preparing host_lost', 'ready prepared'];
  t.same(await story(h, rental), all, 'a repeated report changes nothing');
  await later(2 * DAY);
  t.same(await story(h, rental), [...all, 'ended rental_ended'], 'also after its end');
  await later(h.limits.mac_states_kept_ms);
  t.same(await story(h, rental), [], 'for some time');
});

t.test('builds and jobs, and a repair after a build that could not be prepared', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [rental = ''] = host.rentals;
  const build = async () => {
    const body = { repo: 'owner/name', script: 'make' };
    const { id } = (await h.call('POST', '/builds', { body })).json();
    await host.start();
    return id as string;
  };
  await host.finish(await build());
  const { job_id: done } = (await h.call('POST', `/rentals/${rental}/reset`, { body: {} })).json();
  await host.mac(rental, 'ready');
  const { job_id: failed } = (await h.call('POST', `/rentals/${rental}/xcode`, { body: { version: '16.1' } })).json();
  const { revision = 0 } = (await host.macs())[0] ?? {};
  const refused = { revision, code: 'failed', message: 'The disk is full.' } as const;
  await host.mac(rental, 'ready', { revision: revision - 1, xcode: '16.2', refused });
  await host.mac(rental, 'failed');
  await host.mac(rental, 'ready');
  const { entries } = await page(h, rental);
  t.same(entries.map(({ state, cause, job_id }) => [state, cause, job_id]).reverse(), [
    ['preparing', 'rented', null],
    ['ready', 'prepared', null],
    ['building', 'build_started', null],
    ['ready', 'build_ended', null],
    ['resetting', 'job_started', done],
    ['ready', 'job_done', done],
    ['updating', 'job_started', failed],
    ['ready', 'job_failed', failed],
    ['preparing', 'lost', null],
    ['ready', 'prepared', null],
  ]);
  const stored = await h.store.get<{ state: string }>('SELECT state FROM macs');
  t.equal(stored?.state, entries[0]?.state, 'the newest entry is the current state');
});

t.test('page by page; other accounts see nothing; wrong parameters are refused', async (t) => {
  const h = await startHarness(t);
  const [rental = ''] = await rent(h, await addHost(h, 1));
  const first = await page(h, rental, '?limit=1');
  t.match(first.entries, [{ state: 'ready', cause: 'prepared' }]);
  const second = await page(h, rental, `?limit=1&before=${first.next_before}`);
  t.match(second, { entries: [{ state: 'preparing', cause: 'rented' }], next_before: null });
  const path = `/rentals/${rental}/history`;
  t.match((await h.call('GET', path, { key: h.other.key })).json(), { error: { code: 'rental_not_found' } });
  for (const query of ['?limit=0', '?before=x', '?after=1']) {
    t.equal((await h.call('GET', path + query)).statusCode, 400, query);
  }
});

t.test('the rental says how many new VMs a day allows, and when the next one is possible', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [rental = ''] = host.rentals;
  const resets = async () => (await h.call('GET', `/rentals/${rental}`)).json().resets;
  const day = h.limits.resets_per_day;
  t.same(await resets(), { left: day, next_at: null });
  await h.call('POST', `/rentals/${rental}/reset`, { body: { keep_cache: true } });
  await host.mac(rental, 'ready');
  t.same(await resets(), { left: day, next_at: null }, 'emptying the work folder does not count');
  const begun = h.clock.now();
  await h.call('POST', `/rentals/${rental}/reset`, { body: {} });
  await host.mac(rental, 'ready');
  t.same(await resets(), { left: day - 1, next_at: iso(begun + h.limits.reset_every_ms) });
  await h.clock.advance(h.limits.reset_every_ms);
  t.same(await resets(), { left: day - 1, next_at: null });
  await h.clock.advance(DAY);
  t.same(await resets(), { left: day, next_at: null });
});
