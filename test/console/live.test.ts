// Which queries a change concerns, and how often a page reads again.
import t from 'tap';
import {
  concerns,
  EVERYTHING,
  type LiveChange,
  paced,
  pacedByKind,
  parseBeat,
  parseChange,
  reconnectDelay,
} from '../../control-plane/console/data/live.js';

t.test('a change concerns the queries of its nouns, in its organization', async (t) => {
  const change = { nouns: ['builds', 'build', 'queue'], ids: ['rb_1'] };
  const does = (key: readonly unknown[], of: LiveChange = change) => concerns(of, 'org_1', key);
  t.ok(does(['org_1', 'builds', { status: 'failed' }]));
  t.ok(does(['org_1', 'build', 'rb_1']));
  t.notOk(does(['org_1', 'build', 'rb_2']), 'another build');
  t.ok(does(['org_1', 'build', 'rb_2'], { ...change, ids: [] }), 'any build');
  t.notOk(does(['org_2', 'builds']), 'another organization');
  t.notOk(does(['org_1', 'secrets']));
  t.notOk(does(['session']));
  t.ok(does(['org_1', 'secrets'], EVERYTHING));
});

t.test('events other than changes are ignored', async (t) => {
  t.same(parseChange('{"nouns":["builds"],"ids":[]}'), { nouns: ['builds'], ids: [] });
  for (const text of ['', '{', 'null', '{"nouns":1,"ids":[]}', '[]']) t.equal(parseChange(text), null);
  t.equal(parseBeat('{"every_ms":15000}'), 15_000);
  for (const text of ['', '{', 'null', '{"every_ms":"1"}', '{"every_ms":0}']) t.equal(parseBeat(text), null);
});

t.test('the first change counts at once, those that follow in growing intervals', async (t) => {
  const waiting: { call: () => void; ms: number }[] = [];
  const applied: LiveChange[] = [];
  const { add, stop } = paced((change) => applied.push(change), {
    setTimeout(call, ms) {
      waiting.push({ call, ms });
      return { cancel: () => void waiting.splice(0) };
    },
  });
  const pass = () => {
    const { call, ms } = waiting.shift() ?? { call: () => undefined, ms: 0 };
    call();
    return ms;
  };
  add({ nouns: ['build'], ids: ['rb_1'] });
  t.same(applied, [{ nouns: ['build'], ids: ['rb_1'] }]);
  add({ nouns: ['build'], ids: ['rb_2'] });
  add({ nouns: ['queue'], ids: [] });
  t.equal(applied.length, 1);
  t.equal(pass(), 1_000);
  t.same(applied[1], { nouns: ['build', 'queue'], ids: ['rb_2'] }, 'the queue says nothing about builds');
  add({ nouns: ['build'], ids: ['rb_2'] });
  add({ nouns: ['build'], ids: [] });
  t.equal(pass(), 2_000);
  t.same(applied[2]?.ids, [], 'any build');
  for (const ms of [4_000, 4_000]) {
    add(EVERYTHING);
    t.equal(pass(), ms);
  }
  t.equal(pass(), 4_000);
  t.equal(waiting.length, 0);
  add(EVERYTHING);
  t.equal(waiting[0]?.ms, 1_000, 'after a pause it begins again');
  stop();
  t.equal(waiting.length, 0);
});

t.test('reconnections are spread and limited', async (t) => {
  t.same(
    [1, 2, 3].map((attempt) => reconnectDelay(attempt, 1)),
    [1_000, 2_000, 4_000],
  );
  t.equal(reconnectDelay(1, 0), 500);
  t.equal(reconnectDelay(30, 1), 60_000);
});

t.test('changes of the build that is shown do not wait for those of lists', async (t) => {
  const waits: { run: () => void; ms: number }[] = [];
  const applied: LiveChange[] = [];
  const { add } = pacedByKind((change) => applied.push(change), {
    setTimeout: (run, ms) => {
      const wait = { run, ms };
      waits.push(wait);
      return { cancel: () => waits.splice(waits.indexOf(wait), 1) };
    },
  });
  // An organization with constant changes.
  add({ nouns: ['builds', 'queue'], ids: [] });
  for (let n = 0; n < 6; n += 1) {
    add({ nouns: ['builds', 'queue'], ids: [] });
    const [wait] = waits.splice(0, 1);
    wait?.run();
  }
  applied.length = 0;
  add({ nouns: ['builds', 'build'], ids: ['rb_1'] });
  t.same(applied, [{ nouns: ['build'], ids: ['rb_1'] }], 'at once, and without the list');
  for (let n = 0; n < 4; n += 1) {
    add({ nouns: ['build'], ids: ['rb_1'] });
    const own = waits.findLast(({ ms }) => ms <= 1_000);
    t.ok(own, 'never later than a second');
    waits.splice(waits.indexOf(own as never), 1);
    own?.run();
  }
  t.equal(applied.length, 5);
});
