// Waiting for a change of a build, in the short form.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { code, submit, withMacs } from '../harness/submitting.js';

const MOST_BYTES = 300;

const wait = (h: Harness, id: string, query: string) => h.call('GET', `/builds/${id}/wait?${query}`);

/** The short form without waiting. */
async function brief(h: Harness, id: string) {
  const answer = await wait(h, id, 'since=0&view=brief');
  t.equal(answer.statusCode, 200);
  t.ok(answer.body.length < MOST_BYTES, `${answer.body.length} bytes: ${answer.body}`);
  return answer.json();
}

t.test('each change is answered once, in a few bytes', async (t) => {
  const h = await startHarness(t);
  const { id } = await submit(h, { queue_until_rental: true });
  const queued = await brief(h, id);
  t.same(queued, {
    id,
    status: 'queued',
    version: queued.version,
    phase: null,
    silent_s: null,
    estimated_end_at: null,
    last_line: null,
  });

  const host = await startBuildHost(h, { macs: 1 });
  /** Waits with the version before the change, and makes the change meanwhile. */
  const after = async (version: string, change: () => Promise<unknown>) => {
    const answer = wait(h, id, `since=${version}&view=brief&timeout=60`);
    await change();
    return (await answer).json();
  };
  const running = await after(queued.version, () => host.start());
  t.match(running, { status: 'running', phase: null, silent_s: 0 });
  const at = h.clock.now();
  const prepare = { step: 'prepare' as const, at };
  const preparing = await after(running.version, () => host.facts({ build_id: id, steps: [prepare] }));
  t.match(preparing, { status: 'running', phase: 'prepare' });
  const steps = [prepare, { step: 'script' as const, at: at + 1 }];
  const inScript = await after(preparing.version, () => host.facts({ build_id: id, steps }));
  t.equal(inScript.phase, 'script');

  await host.output(id, 'one\n\x1b[32m 10%\r\x1b[32m 55% done\x1b[0m\r\n\n');
  await h.clock.advance(7_000);
  const same = await brief(h, id);
  t.match(same, { version: inScript.version, last_line: '55% done', silent_s: 7 }, 'output is no change');
  const none = await wait(h, id, `since=${inScript.version}&view=brief&timeout=1`);
  t.equal(none.statusCode, 204);
  t.equal(none.body, '');
  t.equal((await wait(h, id, `since=${inScript.version}&timeout=1`)).statusCode, 204, 'in the full form, too');

  const stalled = await after(inScript.version, async () => {
    await h.pass(h.limits.stall_silence_ms);
  });
  t.ok(stalled.silent_s > 100, 'a stall');
  const ended = await after(stalled.version, () => host.finish(id));
  t.match(ended, { status: 'succeeded', phase: null, silent_s: null, last_line: '55% done' });
  t.same(
    await (await wait(h, id, `since=${ended.version}&view=brief`)).json(),
    ended,
    'an ended build answers at once',
  );
  t.match((await wait(h, id, 'since=0')).json(), { id, script: /./, timings: {} }, 'the whole build');
  t.match((await wait(h, id, 'view=brief')).json(), { id, version: ended.version }, 'its end in the short form');
});

t.test('the answer stays short, whatever the last line is', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const long = ['x', '"', '\\', '한', '👩‍💻', '\u0001', '\t', '\u202e'];
  for (const character of long) {
    await host.output(id, `${character.repeat(5_000)}\n`);
    const { last_line: line } = await brief(h, id);
    t.notMatch(line ?? '', /[\x00-\x1f\ufffd\u202e]/, JSON.stringify(character));
  }
  await host.output(id, `${'y'.repeat(20_000)}`);
  t.match((await brief(h, id)).last_line, /^y{50,}/);
});

t.test('invalid values', async (t) => {
  const h = await startHarness(t);
  const { id } = await submit(h, { queue_until_rental: true });
  for (const query of ['view=short', 'view=', `since=${'1'.repeat(65)}`, 'since=1&since=2', 'form=brief']) {
    t.equal(code(await wait(h, id, query)), 'invalid_query', query);
  }
  t.equal(code(await wait(h, id, 'timeout=0&view=brief')), 'invalid_timeout');
  t.equal((await wait(h, 'rb_nothing', 'since=0&view=brief')).statusCode, 404);
});
