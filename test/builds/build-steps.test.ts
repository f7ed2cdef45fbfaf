// When each step of a build began, as its host reports it.
import t from 'tap';
import { submit, withMacs } from '../harness/submitting.js';

t.test('the steps of an attempt are shown while it runs and afterwards', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const { id } = await submit(h);
  await host.start();
  const show = async () => (await h.call('GET', `/builds/${id}`)).json();
  t.same((await show()).steps, {});
  const started = Date.parse((await show()).timings.started_at);
  const at = (ms: number) => new Date(started + ms).toISOString();

  // Its clock is a day ahead.
  const there = started + 86_400_000;
  const steps = [
    { step: 'prepare', at: there },
    { step: 'source', at: there + 200 },
    { step: 'xcode', at: there + 3_000 },
    { step: 'script', at: there + 3_010 },
  ] as const;
  await host.facts({ build_id: id, steps: [...steps.slice(0, 2)] });
  t.same((await show()).steps, { prepare: at(0), source: at(200) });
  await host.facts({ build_id: id, attempt: 7, steps: [...steps] });
  t.same(Object.keys((await show()).steps), ['prepare', 'source'], 'not of another attempt');
  await host.facts({ build_id: id });
  t.same(Object.keys((await show()).steps), ['prepare', 'source'], 'an older host says nothing about steps');

  await h.clock.advance(5_000);
  await host.facts({ build_id: id, steps: [...steps, { step: 'artifacts', at: there + 99_000 }] });
  await host.finish(id);
  const ended = await show();
  t.same(ended.steps, {
    prepare: at(0),
    source: at(200),
    xcode: at(3_000),
    script: at(3_010),
    artifacts: ended.timings.ended_at,
  });
});

t.test('a step that begins is news for open pages', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const woken: unknown[] = [];
  h.wake.on('builds', (_account, about) => woken.push(about?.id));
  const steps = [{ step: 'prepare' as const, at: h.clock.now() }];
  await host.facts({ build_id: id, steps });
  t.same(woken, [id]);
  await host.facts({ build_id: id, steps });
  t.equal(woken.length, 1, 'once');
});
