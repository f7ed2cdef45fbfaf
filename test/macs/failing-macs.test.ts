// A Mac that its host has lost and cannot make again: what each reader sees, and that the Mac comes back by itself.
import t from 'tap';
import { createFleet } from '../../control-plane/start/app/fleet.js';
import { fleetView } from '../../control-plane/start/http/fleet-view.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { withMacs } from '../harness/submitting.js';

const failed = {
  error: 'EROFS: read-only file system, mkdir /var/cidermill/macs/s1',
  error_code: 'not_writable',
} as const;

const eventsOf = async (h: Harness) =>
  (
    await h.store.all<{ event_type: string; payload: string }>(
      `SELECT event_type, payload FROM events WHERE subject_kind = 'rental' ORDER BY seq`,
    )
  ).map(({ event_type, payload }) => [event_type, JSON.parse(payload).rental.problem?.code ?? null]);

const hostsOf = async (h: Harness) =>
  (await createFleet({ store: h.store }).list()).map((one) => fleetView(one, h.clock.now()));

t.test('service and operators say why a Mac is away, and it comes back', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const [rental = '', other = ''] = host.rentals;
  const before = (await eventsOf(h)).length;
  await host.mac(rental, 'preparing');
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), { state: 'preparing', problem: null });
  await host.mac(rental, 'preparing', { progress: { step: 'create', percent: 7 } });
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), {
    progress: { step: 'create', percent: 7, image: null },
  });

  const since = new Date(h.clock.now()).toISOString();
  await host.mac(rental, 'failed', failed);
  const shown = { code: 'not_writable', params: {}, text: 'The host cannot write to its data folder.', since };
  const status = (await h.call('GET', '/status')).json();
  t.match(status.advice, [
    { kind: 'mac_unavailable', rental_id: rental, reason: 'not_writable', next: [{ method: 'GET' }, {}] },
  ]);
  for (const { path } of status.advice[0].next) {
    t.equal((await h.call('GET', path.replace('/api/v1', ''))).statusCode, 200);
  }
  for (const macs of [status.macs, (await h.call('GET', '/rentals')).json().rentals]) {
    const problems = new Map(
      macs.map((mac: { rental_id: string; problem: object | null }) => [mac.rental_id, mac.problem]),
    );
    t.same(problems.get(rental), shown, 'without the words of the host, which name its folders');
    t.equal(problems.get(other), null);
  }
  t.same((await eventsOf(h)).slice(before), [['rental.unavailable', 'not_writable']]);
  const [line] = (await h.inject({ url: '/healthz' })).body.split('\n');
  t.match(
    line,
    new RegExp(`^degraded: mac_not_made: Host .* cannot make Mac 1 \\(${rental}\\) of Apple Press .*EROFS`),
  );
  const [seen] = await hostsOf(h);
  t.ok(seen?.conditions.includes('macs_failing'));
  t.match(seen?.reasons, [
    {
      code: 'mac_not_made',
      params: { mac: `Mac 1 (${rental})`, organization: 'Apple Press', cause: 'not_writable', detail: /EROFS/ },
      text: new RegExp(`^cannot make Mac 1 \\(${rental}\\) of Apple Press: EROFS`),
    },
  ]);

  await h.clock.advance(60_000);
  await host.mac(rental, 'preparing', { progress: { step: 'create', percent: 0 } });
  await host.mac(rental, 'failed', { error: 'no space left on device', error_code: 'disk_full' });
  await host.mac(rental, 'failed', { error: 'what is this', error_code: 'invented_later' });
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), { problem: { code: 'failed', since } });
  t.equal((await eventsOf(h)).length, before + 1, 'it is announced once');

  // Nothing of it is in memory only.
  const [row] = await h.store.all<{ making: string }>(`SELECT making FROM macs WHERE rental_id = '${rental}'`);
  t.match(JSON.parse(row?.making ?? ''), { problem: { code: 'failed' }, announced: true });
  await host.mac(rental, 'ready');
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), {
    state: 'ready',
    progress: null,
    problem: null,
  });
  t.same((await eventsOf(h)).at(-1), ['rental.available', null]);
  t.same((await h.call('GET', '/status')).json().advice, []);
});

t.test('the fetch of an image is a step with bytes', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1, ready: false });
  const [rental = ''] = (await h.macs.desiredMacs(host.hostId)).map((mac) => mac.rental_id);
  const image = { percent: 49, bytes: 12_299_000_000, total_bytes: 25_100_000_000 };
  await host.mac(rental, 'preparing', { progress: { step: 'create', percent: 17, image } });
  const shown = { step: 'image', percent: 17, image };
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), { progress: shown, op: { progress: shown } });
  t.match((await hostsOf(h))[0], { conditions: ['active'] });
  await host.mac(rental, 'preparing', { progress: { step: 'create', percent: 40 } });
  const made = { step: 'create', percent: 40, image: null };
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), { progress: made, op: { progress: made } });
  await host.mac(rental, 'ready');
  t.match((await h.call('GET', `/rentals/${rental}`)).json(), { progress: null, problem: null });
});
