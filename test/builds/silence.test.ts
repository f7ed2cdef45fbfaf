// For how long a build has printed nothing: counted from its last byte, never from a report about it.
import t from 'tap';
import { eventsOf } from '../harness/build-host.js';
import type { Harness } from '../harness/harness.js';
import { MINUTE, submit, withMacs } from '../harness/submitting.js';
import { until } from '../harness/until.js';

const silent = async (h: Harness, id: string): Promise<number | null> =>
  (await h.call('GET', `/builds/${id}`)).json().timings.silent_s;

t.test('a report of silence, or bytes that waited for the link, do not count as output now', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h, {});
  const [desired] = await host.desired();
  t.match(desired?.spec, { output_report_ms: 10_000 });
  t.ok((desired?.spec?.silence_ms ?? 0) > 24 * 60 * MINUTE, 'a host of link version 2 reports no pause');
  await host.start();
  await host.output(id, 'hello\n');
  await h.clock.advance(3 * MINUTE);
  t.equal(await silent(h, id), 180);

  // Output beyond the log's window: only facts tell of it, by a clock that is hours wrong.
  const wrong = h.clock.now() - 5 * 60 * MINUTE;
  await host.facts({ build_id: id, last_output_at: wrong, silent_ms: 2_000 });
  t.equal(await silent(h, id), 2);
  await h.clock.advance(9 * MINUTE);
  await host.facts({ build_id: id, last_output_at: wrong + 3_000, silent_ms: 9 * MINUTE - 1_000 });
  t.equal(await silent(h, id), 539, 'the last of it was not reported yet');
  await host.facts({ build_id: id, last_output_at: wrong + 3_000, silent_ms: 9 * MINUTE - 1_000 });
  t.equal(await silent(h, id), 539);

  const header = { build_id: id, attempt: 1, offset: 6, silent_ms: 4 * MINUTE };
  await h.runs.output(host.hostId, header, Buffer.from('late\n'));
  await until(async () => (await silent(h, id)) === 240, 'bytes that were printed while the link was down');
  await host.facts({ build_id: id, last_output_at: null, silent_ms: null });
  t.equal(await silent(h, id), 240, 'an agent that was started again knows nothing yet');
});

t.test('open pages hear of a stall, whose report does not end the silence', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h, {});
  await host.start();
  await host.output(id, 'hello\n');
  await h.workers.idle();
  const heard: string[] = [];
  t.teardown(h.wake.on('builds', (account) => heard.push(account)));
  await h.pass(10 * MINUTE + 1_000);
  t.match(
    (await eventsOf(h, id)).map((event) => event.event_type),
    ['build.queued', 'build.started', 'build.stalled'],
  );
  t.same(heard, [String(h.org.id)]);
  await host.facts({ build_id: id, last_output_at: 5, silent_ms: 10 * MINUTE + 1_000 });
  t.ok(((await silent(h, id)) ?? 0) >= 600);
});
