// No page of a list is larger than `list_page_bytes`: it ends earlier, with a cursor that goes on without loss.
import t from 'tap';
import { entriesThatFit, hasLimit } from '../../control-plane/platform/http/page.js';
import { columnsOf } from '../harness/columns.js';
import { startHarness } from '../harness/harness.js';
import { runs } from '../harness/soak.js';
import { submit } from '../harness/submitting.js';

t.test('every list with a limit is a page with a cursor, so that it can end earlier', async (t) => {
  const h = await startHarness(t);
  /** Parts of a larger answer, each bounded by a limit of its own. */
  const others = ['api /status', 'api /queue', 'operator /v1/problems', 'operator /v1/upgrade'];
  let lists = 0;
  for (const api of ['api', 'console', 'operator'] as const) {
    for (const route of h[api].routes) {
      if (!hasLimit(route)) continue;
      lists++;
      const name = `${api} ${route.path}`;
      const shapes = [route.responses[200]].flat();
      const shape = (shapes.find((one) => typeof one === 'object') as { shape?: object } | undefined)?.shape ?? {};
      const isPage = 'next_cursor' in shape || 'next_before' in shape;
      t.equal(isPage, !others.includes(name), name);
    }
  }
  t.ok(lists > 15, `${lists} lists`);
});

t.test('pages of one entry each hold the same as a large page', async (t) => {
  const h = await startHarness(t, { limits: { list_page_bytes: 1 } });
  for (let n = 0; n < 4; n++) {
    await submit(h, { queue_until_rental: true, script: `make ${n}` });
    await h.call('POST', '/builds', { body: {} });
  }
  for (const [path, entries, next, parameter] of [
    ['/builds', 'builds', 'next_before', 'before'],
    ['/errors', 'errors', 'next_before', 'before'],
  ] as const) {
    const all: unknown[] = [];
    let pages = 0;
    let cursor: string | null = '';
    for (; cursor !== null; pages++) {
      const query: string = cursor === '' ? '' : `&${parameter}=${cursor}`;
      const answer = await h.call('GET', `${path}?limit=200${query}`);
      const page = answer.json();
      t.equal(page[entries].length, 1, `${path}: one entry`);
      all.push(...page[entries].map(({ id }: { id: unknown }) => id));
      cursor = page[next];
    }
    t.equal(pages, 4, path);
    t.equal(new Set(all).size, 4, `${path}: none twice`);
  }
});

t.test('a page of builds with long scripts stays below 1 MiB, and none is lost or repeated', async (t) => {
  const h = await startHarness(t);
  // Each character of the excerpt takes six bytes of JSON.
  const script = `# ${'\u0001'.repeat(1_000)}`;
  const { id } = await submit(h, {
    queue_until_rental: true,
    script,
    repo_url: `https://github.com/o/${'n'.repeat(90)}`,
  });
  const columns = (await columnsOf(h.store, 'builds'))
    .map((name) => `"${name}"`)
    .filter((name) => !['"seq"', '"build_id"', '"warnings"'].includes(name));
  const warnings = JSON.stringify(Array.from({ length: 100 }, () => '한'.repeat(600)));
  const copies = runs(29, 59);
  for (let n = 0; n < copies; n++) {
    await h.store.run(
      `INSERT INTO builds (build_id, warnings, ${columns}) SELECT :copy, :warnings, ${columns} FROM builds WHERE build_id = :id`,
      { id, copy: `rb_copy${n}`, warnings },
    );
  }
  const seen = new Set<string>();
  let pages = 0;
  for (let before: string | null = ''; before !== null; pages++) {
    const answer = await h.call('GET', `/builds?limit=200${before === '' ? '' : `&before=${before}`}`);
    t.ok(Buffer.byteLength(answer.body) <= 1024 * 1024, `${Buffer.byteLength(answer.body)} bytes`);
    for (const build of answer.json().builds) {
      t.notOk(seen.has(build.id), 'not twice');
      seen.add(build.id);
      t.notOk('script' in build);
    }
    before = answer.json().next_before;
  }
  t.equal(seen.size, copies + 1);
  t.ok(pages > copies / 10, `${pages} pages`);
  const one = (await h.call('GET', `/builds/${id}`)).json();
  t.equal(one.script, script, 'one build has its whole script');
});

t.test('an answer with the queue stays below 1 MiB, and counts every build', async (t) => {
  const h = await startHarness(t, { limits: { list_page_bytes: 64 * 1024 } });
  // Each character of the excerpt takes six bytes of JSON.
  const script = `# ${'\u0001'.repeat(1_000)}`;
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) ids.push((await submit(h, { queue_until_rental: true, script })).id);
  for (const [path, most] of [
    ['/queue', 30],
    ['/status', 30],
    ['/rentals', 30],
    ['/queue?limit=4', 4],
  ] as const) {
    const answer = await h.call('GET', path);
    const { queue = answer.json() } = answer.json();
    const size = Buffer.byteLength(answer.body);
    t.ok(size <= 64 * 1024, `${path}: ${size} bytes`);
    const { length } = queue.queued;
    t.ok(most === 4 ? length === 4 : length > 10 && length < most, `${path}: ${length} builds`);
    t.equal(queue.queued_count, 30, path);
    t.same(
      queue.queued.map(({ id }: { id: string }) => id),
      ids.slice(0, length),
      'those that start next',
    );
  }
});

t.test('of several lists each has as many entries as fit', async (t) => {
  const list = (length: number) => Array.from({ length }, () => 'x'.repeat(97));
  t.equal(entriesThatFit({ queue: { running: list(2), queued: list(100) } }, 100_000), null);
  t.equal(entriesThatFit({ queue: { running: list(2), queued: list(100) } }, 5_000), 43);
  const page = (macs: number, builds: number) => ({
    rentals: list(macs),
    queue: { queued: list(builds) },
    next_cursor: null,
  });
  t.equal(entriesThatFit(page(1, 100), 5_000), 44, 'a page whose other list is long');
  t.equal(entriesThatFit(page(100, 2), 5_000), 47, 'a page whose other list is short: as many of its own as fit');
  t.equal(entriesThatFit({ one: 'x'.repeat(100), queue: list(2) }, 10), 1);
  t.equal(entriesThatFit({ one: 'x'.repeat(100), queue: list(1) }, 10), null, 'it cannot be shorter');
});

t.test('as many entries as fit, and at least one', async (t) => {
  const page = (sizes: number[]) => ({ data: sizes.map((size) => 'x'.repeat(size - 3)), next_cursor: null });
  t.equal(entriesThatFit(page([100, 100, 100]), 1_000), null);
  t.equal(entriesThatFit(page([100, 100, 100]), 300), 2);
  t.equal(entriesThatFit(page([100, 100]), 10), 1);
  t.equal(entriesThatFit(page([100]), 10), null);
  t.equal(entriesThatFit({ data: 'text' }, 1), null, 'no list');
  t.equal(entriesThatFit('text', 1), null);
});
