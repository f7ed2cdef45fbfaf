// How artifacts count in the account's ledger, and what happens to those that do not fit.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { ledgerAndRecount } from '../harness/recount.js';
import { sha256 } from '../harness/sha256.js';
import { cases } from '../harness/soak.js';
import { submit } from '../harness/submitting.js';

const DAY = 24 * 3_600_000;

async function start(t: Test, account_artifacts_bytes: number, macs = 1) {
  const h = await startHarness(t, { limits: { account_artifacts_bytes } });
  const host = await startBuildHost(h, { macs });
  const builds: string[] = [];
  for (let i = 0; i < macs; i++) builds.push((await submit(h)).id);
  await host.start();
  const put = (name: string, content: string, buildId = builds[0] ?? '') =>
    h.artifacts
      .store(
        { buildId, attempt: 1, name, bytes: content.length, sha256: sha256(content) },
        Readable.from([Buffer.from(content)]),
      )
      .then(
        () => 'stored',
        (error: { code?: string; message: string }) => error.code ?? error.message,
      );
  const counted = async () => {
    const { ledger, recount } = await ledgerAndRecount(h.store, h.org.id);
    if (JSON.stringify(ledger) !== JSON.stringify(recount)) {
      throw new Error(JSON.stringify({ ledger, recount }));
    }
    return ledger.artifactsBytes;
  };
  return { h, host, builds, put, counted };
}

const recordOf = (name: string, content: string) =>
  Buffer.from(`${sha256(content)} ${content.length} ${name}\n${content}`);

t.test('artifacts count until they are deleted', async (t) => {
  const { h, host, builds, put, counted } = await start(t, 1000);
  t.equal(await put('a', 'a'.repeat(100)), 'stored');
  t.equal(await put('a', 'a'.repeat(100)), 'stored');
  t.equal(await counted(), 100, 'an identical artifact counts once');
  t.equal(await put('a', 'b'.repeat(70)), 'stored');
  t.equal(await counted(), 70, 'a replacement counts instead of the previous artifact');
  t.equal(await put('b', 'b'.repeat(500)), 'stored');
  t.equal(await put('c', 'c'.repeat(500)), 'storage_quota_exceeded');
  t.equal(await counted(), 570);

  const [{ id }] = (
    await h.inject({
      url: `/api/runner/v1/files?kind=artifact&job_id=${builds[0]}`,
      headers: { authorization: `Bearer ${h.keys.all}` },
    })
  )
    .json()
    .data.filter(({ path }: { path: string }) => path === 'b');
  const gone = await h.inject({
    method: 'DELETE',
    url: `/api/runner/v1/files/${id}`,
    headers: { authorization: `Bearer ${h.keys.all}` },
  });
  t.equal(gone.statusCode, 204);
  t.equal(await counted(), 70);
  t.equal(await put('c', 'c'.repeat(500)), 'stored', 'the space is available immediately');

  await host.finish(builds[0] ?? '');
  await h.clock.skip(31 * DAY);
  await h.workers.idle();
  t.equal(await counted(), 0);
});

t.test('the service names small artifacts that do not fit, and stores the others', async (t) => {
  const { h, builds, counted } = await start(t, 1000);
  const buildId = builds[0] ?? '';
  const body = Buffer.concat(['a', 'b', 'c', 'd'].map((name) => recordOf(name, name.repeat(400))));
  const refused = await h.artifacts.storeMany({ buildId, attempt: 1 }, Readable.from([body]));
  t.same(refused, [
    { name: 'c', code: 'storage_quota_exceeded' },
    { name: 'd', code: 'storage_quota_exceeded' },
  ]);
  t.equal(await counted(), 800);
  const wrong = Buffer.concat([
    Buffer.from(`${sha256('x')} 200 e\n${'y'.repeat(200)}`),
    recordOf('f', 'f'.repeat(200)),
  ]);
  t.same(await h.artifacts.storeMany({ buildId, attempt: 1 }, Readable.from([wrong])), [
    { name: 'e', code: 'invalid_artifact' },
    { name: 'f', code: 'storage_quota_exceeded' },
  ]);
  const again = await h.artifacts.storeMany({ buildId, attempt: 1 }, Readable.from([recordOf('f', 'f'.repeat(200))]));
  t.same(again, [], 'the reservation of the refused artifact is released');
  t.equal(await counted(), 1000);
});

t.test('builds that end at the same time share the limit', async (t) => {
  const { builds, put, counted } = await start(t, 1000, 4);
  const ends = await Promise.all(
    builds.flatMap((id) => ['a', 'b', 'c', 'd'].map((name) => put(name, name.repeat(100), id))),
  );
  t.equal(ends.filter((end) => end === 'stored').length, 10);
  t.equal(ends.filter((end) => end === 'storage_quota_exceeded').length, 6);
  t.equal(await counted(), 1000);
});

t.test('the ledger is exact after any order of requests, broken bodies and deletions', async (t) => {
  const { h, builds, put, counted } = await start(t, 2000, 2);
  const request = fc.record({
    build: fc.nat(1),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    size: fc.nat(900),
    how: fc.constantFrom('one', 'many', 'broken', 'delete'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
      await Promise.all(
        requests.map(async ({ build, name, size, how }) => {
          const buildId = builds[build] ?? '';
          const content = name.repeat(size);
          if (how === 'one') await put(name, content, buildId);
          else if (how === 'delete') {
            const file = await h.store.get<{ id: string }>(
              'SELECT file_id AS id FROM files WHERE build_id = :buildId AND name = :name',
              { buildId, name },
            );
            await h.inject({
              method: 'DELETE',
              url: `/api/runner/v1/files/${file?.id ?? 'file_none'}`,
              headers: { authorization: `Bearer ${h.keys.all}` },
            });
          } else {
            const whole = Buffer.concat([recordOf(name, content), recordOf('z', content)]);
            const body = how === 'many' ? whole : whole.subarray(0, whole.length - 1);
            await h.artifacts.storeMany({ buildId, attempt: 1 }, Readable.from([body])).catch((error: Error) => error);
          }
        }),
      );
      if ((await counted()) > 2000) throw new Error('stored more than the limit');
    }),
    { numRuns: cases(15) },
  );
  const rest = 2000 - (await counted());
  t.equal(await put('rest', 'r'.repeat(rest)), 'stored', 'no reservation is left');
});
