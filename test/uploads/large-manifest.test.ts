// Missing contents come in pages, and large manifests are handled in steps, so that others are served in between.
// Runs in: soak
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { SenderGone } from '../../control-plane/platform/app/sender-gone.js';
import type { Step } from '../../control-plane/platform/app/turns.js';
import type { Caller } from '../../control-plane/platform/domain/caller.js';
import { encodeManifest } from '../../control-plane/uploads/formats/manifest.js';
import { inGroups, sortInSteps } from '../../shared/in-steps.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { runs } from '../harness/soak.js';
import { turnsDuring } from '../harness/turns-during.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

const names = Array.from({ length: 8 }, (_, n) => `content ${n}`);
const folder = Object.fromEntries(names.map((name, n) => [`f${n}`, name]));

/** Reads all pages after `after`. */
async function pagesOf(h: Harness, id: string, after: string | null): Promise<string[]> {
  const missing: string[] = [];
  for (let next: string | null = after; ; ) {
    const query: string = next === null ? '' : `?missing_after=${next}`;
    const page = (await h.call('GET', `/uploads/${id}${query}`)).json();
    t.ok(page.missing.length <= 3);
    missing.push(...page.missing);
    next = page.missing_next;
    if (next === null) return missing;
  }
}

t.test('missing contents come in pages, without loss or repetition', async (t) => {
  const h = await startHarness(t, { limits: { upload_missing_page: 3 } });
  const { announce, sendBlobs } = uploader(h);
  const created = (await announce(manifestOf(folder))).json();
  const all = manifestOf(folder).files.map(({ sha256 }) => sha256);
  t.same(created.missing, all.slice(0, 3));
  t.equal(created.missing_next, all[2]);
  t.equal(created.missing_bytes, names.join('').length);
  t.same([...created.missing, ...(await pagesOf(h, created.id, created.missing_next))], all);
  t.same(await pagesOf(h, created.id, null), all);

  // A cursor whose content has arrived goes on.
  await sendBlobs(
    created.id,
    names.slice(1, 4).map((name) => record(Buffer.from(name))),
  );
  t.same(await pagesOf(h, created.id, all[2] ?? null), all.slice(4));
  t.same(await pagesOf(h, created.id, null), [all[0], ...all.slice(4)]);

  const refused = await h.call('GET', `/uploads/${created.id}?missing_after=${'0'.repeat(64)}`);
  t.match(refused.json().error, { code: 'invalid_query', message: /missing_after/ });
  await sendBlobs(
    created.id,
    [0, 4, 5, 6, 7].map((n) => record(Buffer.from(names[n] ?? ''))),
  );
  t.match((await h.call('GET', `/uploads/${created.id}`)).json(), {
    missing: [],
    missing_next: null,
    ready: true,
  });
});

t.test('requests about a large upload let others through', async (t) => {
  const h = await startHarness(t);
  const FILES = runs(10_000, 20_000);
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `d${n % 50}/f${n}`,
    size: 1,
    sha256: createHash('sha256').update(String(n)).digest('hex'),
  }));
  const body = gzipSync(JSON.stringify({ project: 'large', files }));
  const [created, accepting] = await turnsDuring(
    h.inject({
      method: 'POST',
      url: '/api/v1/uploads',
      payload: body,
      headers: { authorization: `Bearer ${h.keys.all}`, 'content-type': 'application/gzip' },
    }),
  );
  t.equal(created.statusCode, 201);
  t.equal(created.json().missing.length, 10_000);
  t.ok(accepting > 10, `${accepting} turns`);
  t.equal((await h.call('GET', `/uploads/${created.json().id}`)).json().missing.length, 10_000);
});

const callerOf = ({ org }: Harness) =>
  ({ account: org, workspaceId: org.workspaceId, workspaceIds: null, key: null }) as unknown as Caller;

t.test('work on uploads is done in steps of the account', async (t) => {
  const h = await startHarness(t);
  const FILES = 20_000;
  const texts = Array.from({ length: FILES }, (_, n) => String(n));
  const files = texts.map((text, n) => ({
    path: `d${n % 50}/f${n}`,
    size: text.length,
    sha256: sha256(text),
  }));
  const bodyOf = (text: string | Buffer) => Readable.from([gzipSync(text, { level: 1 })]);
  const caller = callerOf(h);
  const stepsOf = async <T>(work: (step: Step) => Promise<T>): Promise<[T, number]> => {
    let steps = 0;
    const result = await work(async () => void steps++);
    return [result, steps];
  };
  const [created, creating] = await stepsOf((step) =>
    h.uploads.create(caller, bodyOf(JSON.stringify({ project: 'large', files })), undefined, step),
  );
  // Its pieces, sorting, writing, and looking up what there is.
  t.ok(creating > FILES / 1_000 + FILES / 2_000, `creating: ${creating} steps`);
  const { uploadId } = created.upload;
  const [, reading] = await stepsOf((step) => h.uploads.status(caller, uploadId, null, step));
  t.ok(reading > 10_000 / 1_000, `reading a page: ${reading} steps`);
  const records = Buffer.concat(texts.map((text) => record(text)));
  const [stored, storing] = await stepsOf((step) => h.uploads.addBlobs(caller, uploadId, bodyOf(records), step));
  t.equal(stored, FILES);
  t.ok(storing > FILES / 500, `storing: ${storing} steps`);
  const [, settling] = await stepsOf((step) =>
    h.uploads.settle({ accountId: h.org.id, uploadId: created.upload.uploadId }, step),
  );
  t.equal(settling, 0, 'it is known to be complete');
});

t.test('a request about an upload ends at its next step when its sender has gone', async (t) => {
  const h = await startHarness(t);
  const files = Array.from({ length: 5_000 }, (_, n) => ({
    path: `f${n}`,
    size: 1,
    sha256: sha256(String(n)),
  }));
  const body = Readable.from([gzipSync(JSON.stringify({ project: 'large', files }), { level: 1 })]);
  const caller = callerOf(h);
  let steps = 0;
  const step = async () => {
    if (++steps === 4) throw new SenderGone();
  };
  await t.rejects(h.uploads.create(caller, body, undefined, step), { name: 'SenderGone' });
  t.equal(steps, 4);
  t.equal((await h.store.get<{ n: number }>('SELECT COUNT(*) AS n FROM uploads'))?.n, 0);
});

t.test('the stored form in pieces is the same JSON, in any order', async (t) => {
  const files = Array.from({ length: 5_000 }, (_, n) => ({
    path: `p${(n * 7919) % 5_000}`,
    sha256: 'a'.repeat(64),
    size: n,
    mode: 420 as const,
  }));
  const links = [
    { path: 'z', target: 'a' },
    { path: 'b', target: 'c' },
  ];
  const directories = ['y', 'x'];
  const text = Buffer.concat(await encodeManifest({ files, links, directories })).toString();
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const whole = JSON.stringify({
    files: files.map(({ path, sha256, size, mode }) => ({ path, sha256, size, mode })).sort(byPath),
    links: [...links].sort(byPath),
    directories: [...directories].sort(),
  });
  t.ok(text === whole);
  const empty = Buffer.concat(await encodeManifest({ files: [], links: [], directories: [] })).toString();
  t.equal(empty, '{"files":[],"links":[],"directories":[]}');
});

t.test('groups and sorting in steps keep every item', async (t) => {
  const items = Array.from({ length: 1_003 }, (_, n) => (n * 37) % 1_003);
  const groups: number[][] = [];
  for await (const group of inGroups(items, 100)) groups.push(group);
  t.same(groups.flat(), items);
  t.equal(groups.length, 11);
  t.same(
    await sortInSteps(items, (a, b) => a - b, 100),
    [...items].sort((a, b) => a - b),
  );
  t.same(await sortInSteps([], (a: number, b: number) => a - b, 100), []);
});
