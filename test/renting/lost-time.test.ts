// Time that the platform keeps a Mac from its customer is not paid time; what the customer asks for is.
import t from 'tap';
import type { MacFact } from '../../shared/protocol/index.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, type RentingHost, rent } from '../harness/renting.js';

const MINUTE = 60_000;

async function advance(h: Harness, ms: number): Promise<void> {
  await h.pass(ms);
}

const macs = async (h: Harness): Promise<{ starts_at: string }[]> =>
  (await h.call('GET', '/rentals'))
    .json()
    .rentals.sort((a: { starts_at: string }, b: { starts_at: string }) => a.starts_at.localeCompare(b.starts_at));

/** A report with more than a state. */
async function report(h: Harness, host: RentingHost, given: Partial<MacFact>): Promise<void> {
  const [mac] = await h.macs.desiredMacs(host.hostId);
  if (!mac) throw new Error('the host is to have nothing');
  const { slot_id, rental_id, generation, revision, xcode } = mac;
  const fact = { slot_id, rental_id, generation, revision, xcode, state: 'ready' as const };
  const nothing = { refused: null, progress: null, error: null };
  await h.macs.macFacts(host.hostId, [{ ...fact, ...nothing, ...given }]);
  await h.workers.idle();
}

t.test('a lost host: its Macs return to preparing, and the outage is added to their time', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  await rent(h, host);
  const behind = await order(h, { start: iso(START + DAY + HOUR), hours: 48 });
  await pay(h, behind.order_no);
  await advance(h, 2 * HOUR);
  await host.disconnect();
  await advance(h, h.limits.host_lost_after_ms - 1);
  t.match((await macs(h))[0], { state: 'ready' }, 'it may be back in a moment');
  await advance(h, 1);
  t.match((await macs(h))[0], {
    state: 'preparing',
    remaining_s: 22 * 3600,
    ends_at: iso(START + DAY + h.limits.host_lost_after_ms),
  });
  await advance(h, 40 * MINUTE);
  const lost = h.limits.host_lost_after_ms + 40 * MINUTE;
  t.match((await macs(h))[0], {
    state: 'preparing',
    remaining_s: 22 * 3600,
    ends_at: iso(START + DAY + lost),
  });
  await host.connect();
  await report(h, host, {});
  t.match((await macs(h))[0], { state: 'ready', remaining_s: 22 * 3600, ends_at: iso(START + DAY + lost) });
  t.match((await macs(h))[1], { state: 'reserved', starts_at: iso(START + DAY + HOUR) }, 'there is room for both');
  await host.disconnect();
  await advance(h, 30 * MINUTE);
  await host.connect();
  await report(h, host, {});
  const end = START + DAY + lost + 30 * MINUTE;
  t.match((await macs(h))[0], { ends_at: iso(end) });
  t.match(
    (await macs(h))[1],
    { starts_at: iso(end), ends_at: iso(end + 2 * DAY) },
    'what was reserved behind it moves, with its whole time',
  );
  await advance(h, 5 * MINUTE);
  await host.disconnect();
  await advance(h, 5 * MINUTE);
  await host.connect();
  t.match((await macs(h))[0], { state: 'ready', ends_at: iso(end) }, 'five minutes away are not a lost host');
});

t.test('an outage longer than the remaining time', async (t) => {
  const h = await startHarness(t, { limits: { provision_give_up_ms: DAY } });
  const host = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, host);
  await advance(h, DAY - 30 * MINUTE);
  await host.disconnect();
  await advance(h, 5 * HOUR);
  t.match(await macs(h), [{ rental_id: rentalId, state: 'preparing', remaining_s: 1800, can_extend: true }]);
  t.same(await h.audit.run(), []);
  t.equal((await h.call('POST', `/rentals/${rentalId}/extend/quote`, { body: { hours: 24 } })).statusCode, 200);
  await host.connect();
  t.equal(
    codeOf(await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24 }, key: h.other.key })),
    'no_capacity',
    'its slot is not sold meanwhile',
  );
  await report(h, host, {});
  t.match(await macs(h), [{ state: 'ready', remaining_s: 1800 }]);
  await advance(h, 30 * MINUTE);
  t.same(await macs(h), [], 'then it ends');
});

t.test('a host that stays disconnected: the Mac is recreated on another one with all its time', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, one);
  const two = await addHost(h, 1);
  await one.disconnect();
  await advance(h, h.limits.host_lost_after_ms);
  t.same(await two.rentalIds(), []);
  await advance(h, h.limits.provision_give_up_ms);
  t.same(await two.rentalIds(), [rentalId]);
  await advance(h, 10 * MINUTE);
  await two.mac(rentalId, 'ready');
  t.match(await macs(h), [{ state: 'ready', remaining_s: 24 * 3600 }]);
});

t.test('a host is removed: the time until the Mac is recreated is added', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, one);
  const two = await addHost(h, 1);
  await advance(h, HOUR);
  await h.hosts.change(one.hostId, 'remove');
  await h.workers.idle();
  await advance(h, 20 * MINUTE);
  await two.mac(rentalId, 'ready');
  t.match(await macs(h), [{ ends_at: iso(START + DAY + 20 * MINUTE) }]);
});

t.test('a reset that the customer asked for takes its time from the rental; one that fails does not', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, host);
  const reset = () => h.call('POST', `/rentals/${rentalId}/reset`, { body: { keep_cache: true } });
  t.equal((await reset()).statusCode, 202);
  await advance(h, 30 * MINUTE);
  await host.mac(rentalId, 'ready');
  t.match(await macs(h), [{ state: 'ready', ends_at: iso(START + DAY) }]);

  t.equal((await reset()).statusCode, 202);
  await advance(h, 10 * MINUTE);
  const [{ revision = 0 } = {}] = await h.macs.desiredMacs(host.hostId);
  const refused = { revision, code: 'failed' as const, message: 'the disk is full' };
  await report(h, host, { state: 'failed', refused });
  t.match(await macs(h), [{ state: 'preparing', ends_at: iso(START + DAY) }], 'until it failed it was a change');
  await advance(h, 20 * MINUTE);
  await report(h, host, {});
  t.match(await macs(h), [{ state: 'ready', ends_at: iso(START + DAY + 20 * MINUTE) }]);
});

t.test('a host that is lost in the middle of a change: the change is done when it comes back, or fails', async (t) => {
  for (const fails of [false, true]) {
    const h = await startHarness(t);
    const host = await addHost(h, 1);
    const [rentalId = ''] = await rent(h, host);
    const { job_id } = (await h.call('POST', `/rentals/${rentalId}/xcode`, { body: { version: '16.1' } })).json();
    await host.disconnect();
    await advance(h, 30 * MINUTE);
    t.match(await macs(h), [{ state: 'preparing', remaining_s: 24 * 3600 }]);
    await host.connect();
    const [{ revision = 0 } = {}] = await h.macs.desiredMacs(host.hostId);
    const refused = { revision, code: 'failed' as const, message: 'no such version' };
    if (fails) await report(h, host, { refused, xcode: '16.2', revision: revision - 1 });
    else await report(h, host, {});
    t.match((await h.call('GET', `/jobs/${job_id}`)).json(), { status: fails ? 'failed' : 'done' });
    t.match(await macs(h), [
      { state: 'ready', xcode: fails ? '16.2' : '16.1', ends_at: iso(START + DAY + 30 * MINUTE) },
    ]);
    await h.close();
  }
});
