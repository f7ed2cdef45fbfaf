// A build's artifact limits are enforced while bytes arrive, for any number of concurrent requests.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { cases } from '../harness/soak.js';
import { until } from '../harness/until.js';

async function start(t: Test, limits: Partial<Harness['limits']>) {
  const h = await startHarness(t, { limits });
  const host = await startBuildHost(h, { macs: 1 });
  const build = async () => {
    const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
    await h.workers.idle();
    await host.start();
    return id as string;
  };
  const stored = async (buildId: string) => {
    const rows = await h.store.all<{ name: string; bytes: number }>(
      'SELECT name, bytes FROM files WHERE build_id = :buildId ORDER BY name',
      { buildId },
    );
    return rows;
  };
  const buildId = await build();
  return { ...h, host, build, buildId, stored };
}

/** A body that a test sends in chunks, with the number of bytes that the service has read. */
function heldBody(content: string) {
  let go: (how: 'send' | 'break') => void = () => {};
  const gate = new Promise<'send' | 'break'>((resolve) => {
    go = resolve;
  });
  const state = { asked: false, go };
  async function* pieces() {
    state.asked = true;
    yield Buffer.from(content.slice(0, 1));
    if ((await gate) === 'break') throw new Error('the connection broke');
    yield Buffer.from(content.slice(1));
  }
  return Object.assign(state, { stream: Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }) });
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'stored',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
const asRecord = (name: string, content: string) =>
  Buffer.from(`${sha256(content)} ${content.length} ${name}\n${content}`);

t.test('one of eight concurrent requests that each fill the limit is received', async (t) => {
  const { artifacts, buildId, stored } = await start(t, { artifact_bytes: 10, artifact_files: 100 });
  const bodies = Array.from({ length: 8 }, (_, n) => ({ name: `a${n}`, ...held(n) }));
  function held(n: number) {
    const content = String(n).repeat(10);
    return { content, body: heldBody(content) };
  }
  const done = bodies.map(({ name, content, body }) => {
    const announced = { buildId, attempt: 1, name, bytes: 10, sha256: sha256(content) };
    return outcome(artifacts.store(announced, body.stream));
  });
  await until(() => bodies.some(({ body }) => body.asked), 'the service reads a body');
  const read = () => bodies.filter(({ body }) => body.asked);
  t.equal(read().length, 1, 'the others wait and are not read');
  read()[0]?.body.go('break');
  await until(() => read().length === 2, 'the service reads the next body');
  t.equal((await stored(buildId)).length, 0, 'the reservation of the aborted request is released');
  for (const { body } of bodies) body.go('send');
  const ends = await Promise.all(done);
  t.same(ends.toSorted(), [...Array(6).fill('payload_too_large'), 'stored', 'the connection broke']);
  t.equal((await stored(buildId)).length, 1);
  t.equal(read().length, 2, 'bodies that do not fit are never read');
});

t.test('the number of artifacts is reserved too, and a replacement reserves only the difference', async (t) => {
  const { artifacts, buildId, stored } = await start(t, { artifact_bytes: 10, artifact_files: 2 });
  const put = (name: string, content: string) =>
    outcome(
      artifacts.store(
        { buildId, attempt: 1, name, bytes: content.length, sha256: sha256(content) },
        Readable.from([Buffer.from(content)]),
      ),
    );
  const ends = await Promise.all(['a', 'b', 'c', 'd'].map((name) => put(name, name)));
  t.same(ends.toSorted(), ['payload_too_large', 'payload_too_large', 'stored', 'stored']);
  const [first] = await stored(buildId);
  t.equal(await put(first?.name ?? '', '123456789'), 'stored');
  t.equal(await put(first?.name ?? '', '1234567890'), 'payload_too_large');
  t.equal(await put(first?.name ?? '', '987654321'), 'stored');
});

t.test('two bodies with many artifacts that fill the limit do not wait for each other', async (t) => {
  const { artifacts, buildId, stored } = await start(t, { artifact_bytes: 100, artifact_files: 100 });
  const send = (letter: string) => {
    const records = Array.from({ length: 10 }, (_, n) => asRecord(`${letter}${n}`, `${letter}${n}`.repeat(5)));
    const ref = { buildId, attempt: 1 };
    return artifacts.storeMany(ref, Readable.from(records) as AsyncIterable<Buffer>);
  };
  const refused = await Promise.all(['a', 'b', 'c'].map(send));
  t.equal((await stored(buildId)).length, 10);
  t.equal(refused.flat().length, 20);
  t.ok(refused.flat().every(({ code }) => code === 'payload_too_large'));
});

t.test('bodies that are complete, cut or forged never exceed the limits and leave no reservation', async (t) => {
  const LIMIT = 60;
  const FILES = 6;
  const h = await start(t, { artifact_bytes: LIMIT, artifact_files: FILES });
  const { artifacts, store } = h;
  const request = fc.record({
    kind: fc.constantFrom('put', 'put', 'cut', 'forged', 'longer', 'many'),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    bytes: fc.integer({ min: 0, max: 40 }),
  });
  let attempt = 0;
  const buildId = h.buildId;
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
      attempt++;
      const content = (bytes: number, n: number) => String(n % 10).repeat(bytes);
      const body = (kind: string, text: string) => {
        async function* pieces() {
          yield Buffer.from(text.slice(0, 5));
          await new Promise((resolve) => setImmediate(resolve));
          if (kind === 'cut') throw new Error('cut');
          yield Buffer.from(kind === 'forged' ? 'x'.repeat(Math.max(0, text.length - 5)) : text.slice(5));
          if (kind === 'longer') yield Buffer.from('more');
        }
        return Readable.from(pieces(), { objectMode: false });
      };
      await Promise.all(
        requests.map(({ kind, name, bytes }, n) => {
          const text = content(bytes, n);
          const records = [asRecord(name, text), asRecord(`${name}2`, text)];
          return outcome(
            kind === 'many'
              ? artifacts.storeMany({ buildId, attempt }, Readable.from(records) as AsyncIterable<Buffer>)
              : artifacts.store({ buildId, attempt, name, bytes, sha256: sha256(text) }, body(kind, text)),
          );
        }),
      );
      const totals = async () =>
        store.get<{ files: number; bytes: number }>(
          'SELECT COUNT(*) AS files, COALESCE(SUM(bytes), 0) AS bytes FROM files WHERE attempt = :attempt',
          { attempt },
        );
      const { files = 0, bytes = 0 } = (await totals()) ?? {};
      if (files > FILES || bytes > LIMIT) return false;
      if (files === FILES) return true;
      // The remaining space can be used up to the last byte: all reservations were released.
      const rest = 'z'.repeat(LIMIT - bytes);
      const last = { buildId, attempt, name: 'last', bytes: rest.length, sha256: sha256(rest) };
      return (await outcome(artifacts.store(last, Readable.from([Buffer.from(rest)])))) === 'stored';
    }),
    { numRuns: cases(20) },
  );
  let contents = 0;
  for await (const _ of h.contents.artifacts.list()) contents++;
  const rows = await store.get<{ n: number }>('SELECT COUNT(*) AS n FROM files');
  t.equal(contents, rows?.n, 'every content has a row');
});
