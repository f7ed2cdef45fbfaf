// The queue of an account is read in groups of builds, with turns of other requests in between.
import t from 'tap';
import { placeBuilds, readWholeQueue } from '../../control-plane/builds/app/queue.js';
import { BUILDS_IN_TURN } from '../../control-plane/builds/store/builds.js';
import { defaultLimits as limits } from '../../control-plane/platform/domain/limits.js';
import { type Harness, startHarness } from '../harness/harness.js';

const MOST = BUILDS_IN_TURN + 10;

async function submit(h: Harness, many: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < many; n++) {
    const body = { script: `make ${n}`, repo: 'apple/swift', queue_until_rental: true };
    ids.push((await h.call('POST', '/builds', { body })).json().id);
  }
  return ids;
}

const scopeOf = (h: Harness) => ({ accountId: h.org.id, workspaceIds: null });

t.test('other requests have their turn between two groups', async (t) => {
  const h = await startHarness(t);
  const ids = await submit(h, MOST);
  let steps = 0;
  const read = await readWholeQueue(
    { store: h.store, limits },
    scopeOf(h),
    async () => void steps++,
    async (macs) => macs.length,
  );
  t.equal(steps, 2);
  t.equal(read.beside, 0);
  t.same(
    read.whole.active.map(({ buildId }) => buildId),
    ids,
  );
});

t.test('a build that ends between two groups is in no part of the answer', async (t) => {
  const h = await startHarness(t);
  const ids = await submit(h, MOST);
  const [first = '', ...others] = ids;
  let steps = 0;
  const step = async () => {
    if (++steps === 1) await h.call('POST', `/builds/${first}/cancel`);
  };
  let read = 0;
  const { whole } = await readWholeQueue({ store: h.store, limits }, scopeOf(h), step, async () => void read++);
  t.equal(read, 2, 'what has to be of the same moment is read again, too');
  const { queued } = placeBuilds(whole, h.clock.now(), limits);
  t.same(
    queued.map(({ build }) => build.buildId),
    others,
  );
  t.same(
    queued.map(({ place }) => place?.queuePosition),
    others.map((_, index) => index + 1),
  );
});

t.test('a queue that never rests is answered all the same', async (t) => {
  const h = await startHarness(t);
  const ids = await submit(h, MOST);
  const canceled: string[] = [];
  const step = async () => {
    const id = ids[canceled.length] ?? '';
    canceled.push(id);
    await h.call('POST', `/builds/${id}/cancel`);
  };
  const { whole } = await readWholeQueue({ store: h.store, limits }, scopeOf(h), step, async () => null);
  t.same(
    whole.active.filter(({ status }) => status !== 'queued'),
    [],
  );
  t.ok(whole.active.length >= MOST - canceled.length);
});
