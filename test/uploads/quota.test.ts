// How uploads count in the account's ledger, and what happens when they do not fit.
// Runs in: soak
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { adminIn, printedBy } from '../harness/admin.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { ledgerAndRecount, recordsAndRecount } from '../harness/recount.js';
import { cases } from '../harness/soak.js';
import { code, submit } from '../harness/submitting.js';
import { manifestOf, record, tarOf, uploader } from '../harness/upload-bodies.js';

const KIB = 1024;
const HOUR = 3_600_000;

async function counted(h: Harness, accountId = h.org.id): Promise<number> {
  const { ledger, recount } = await ledgerAndRecount(h.store, accountId);
  // Thrown, so that the running test fails and not the file.
  assert.deepEqual(ledger, recount, 'the ledger does not match the rows');
  return ledger.contentsBytes;
}

const withLimit = (account_contents_bytes: number): HarnessOptions => ({
  limits: { account_contents_bytes, account_concurrent_uploads: 100 },
});

t.test('uploads count each content once, and their manifests; collected contents no longer count', async (t) => {
  const h = await startHarness(t);
  const { announce, sendBlobs, sendTar } = uploader(h);
  t.equal(await counted(h), 0);
  const a = randomBytes(10 * KIB);
  const b = randomBytes(3 * KIB);
  const first = await announce(manifestOf({ a, copy: a, b }));
  const manifest = await counted(h);
  t.ok(manifest > 0 && manifest < KIB, 'the manifest');
  await sendBlobs(first.json().id, [record(a), record(b)]);
  t.equal(await counted(h), manifest + 13 * KIB);
  await sendBlobs(first.json().id, [record(a)]);
  t.equal(await counted(h), manifest + 13 * KIB, 'sent again, it counts once');

  const folder = mkdtempSync(join(tmpdir(), 'cidermill-quota-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a'), a);
  writeFileSync(join(folder, 'c'), randomBytes(KIB));
  await sendTar(tarOf(folder, 'a', 'c'));
  const both = await counted(h);
  t.ok(both > manifest + 14 * KIB && both < manifest + 15 * KIB);
  t.equal(await counted(h, h.other.id), 0);

  await h.pass(60 * HOUR);
  t.equal(await counted(h), 0, 'everything has expired and was collected');
});

t.test('the account and the operator can see the usage', async (t) => {
  const h = await startHarness(t);
  const { announce, sendBlobs } = uploader(h);
  const host = await startBuildHost(h, { macs: 2 });
  const content = randomBytes(5 * KIB);
  await sendBlobs((await announce(manifestOf({ content }))).json().id, [record(content)]);
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'hello\n');
  await host.finish(id);
  const contents_bytes = await counted(h);
  const usage = { contents_bytes, artifacts_bytes: 0, logs_bytes: 6, held_slots: 2 };
  const open = { parked_requests: 0, concurrent_uploads: 0 };
  const records = async () => ({ records_bytes: (await recordsAndRecount(h.store, h.org.id)).recount });
  t.same((await h.call('GET', '/me')).json().usage, { ...usage, ...(await records()), ...open });
  t.match((await h.call('GET', '/me', { key: h.other.key })).json().usage, {
    contents_bytes: 0,
    held_slots: 0,
  });
  const cookie = await h.signIn('developer');
  const person = await h.inject({
    url: `/api/runner/v1/organizations/${h.org.orgId}/agent/me`,
    headers: { cookie },
  });
  t.same(person.json().usage, { ...usage, ...(await records()), ...open });
  const show = ['org', 'show', 'apple-press'];
  const { out } = await printedBy([...show, '--data', h.data]);
  t.match(out, /files of uploads +0 GiB of 50 GiB/);
  t.match(out, /slots held: 2/);
  t.same((await adminIn(h.data)(...show)).usage, { ...usage, ...(await records()) });
});

t.test(
  'an upload that does not fit is refused before its files are sent, and the error says where to delete',
  async (t) => {
    const h = await startHarness(t, withLimit(64 * KIB));
    const { announce, sendBlobs } = uploader(h);
    const small = randomBytes(40 * KIB);
    const kept = (await announce(manifestOf({ small }))).json().id;
    t.equal((await sendBlobs(kept, [record(small)])).statusCode, 200);
    const large = randomBytes(40 * KIB);
    const refused = await announce(manifestOf({ small, large }));
    t.same([refused.statusCode, code(refused)], [409, 'storage_quota_exceeded']);
    const { error } = refused.json();
    t.match(error, { fault: 'client', retryable: false, limit_bytes: 64 * KIB, used_bytes: Number });
    const [next] = error.next;
    const files = await h.inject({
      method: next.method,
      url: next.path,
      headers: { authorization: `Bearer ${h.keys.all}` },
    });
    t.match(files.json(), { data: [{ id: kept, kind: 'upload' }] }, 'the suggested request lists files to delete');
    t.equal((await announce(manifestOf({ small }, 'again'))).statusCode, 201, 'existing contents need no space');
    await counted(h);
  },
);

t.test('contents of other workspaces count too, and the error says so', async (t) => {
  const h = await startHarness(t, withLimit(64 * KIB));
  const { announce, sendBlobs } = uploader(h);
  const cookie = await h.signIn('owner');
  const root = `/v1/organizations/${h.org.orgId}/workspaces`;
  const asOwner = { key: null, headers: { cookie } };
  const made = await h.callConsole('POST', root, { ...asOwner, body: { name: 'iOS' } });
  const workspaceId: string = made.json().id;
  const key = await h.createKey(['read', 'build'], { workspaceId });
  const large = randomBytes(60 * KIB);
  const { id } = (await announce(manifestOf({ large }), { key })).json();
  t.equal((await sendBlobs(id, [record(large)], { key })).statusCode, 200);

  const other = manifestOf({ other: randomBytes(60 * KIB) });
  const { error } = (await announce(other)).json();
  t.equal(error.code, 'storage_quota_exceeded');
  t.match(error.message, 'The files of all its workspaces count');
  const [next] = error.next;
  const own = await h.inject({ url: next.path, headers: { authorization: `Bearer ${h.keys.all}` } });
  t.same(own.json().data, [], 'files of other workspaces are not listed');

  await h.apiKeys.revoke({ token: key }, 'manual');
  t.equal((await h.callConsole('DELETE', `${root}/${workspaceId}`, asOwner)).statusCode, 204);
  const left = await h.callConsole('GET', `/v1/files?workspace_id=${workspaceId}`, asOwner);
  t.match(left.json(), { data: [{ id, kind: 'upload' }] }, 'an owner can list the files of a removed workspace');
  t.equal((await h.callConsole('DELETE', `/v1/files/${id}`, asOwner)).statusCode, 204, 'an owner can delete them');
  const again = (await announce(other)).json().error;
  t.match(
    again?.message,
    'deleted ones count until their contents are collected',
    'the error says why there is no space yet',
  );
  await h.pass(8 * HOUR);
  t.equal((await announce(other)).statusCode, 201);
  await counted(h);
});

t.test('space is available within minutes after a person deletes an upload', async (t) => {
  const h = await startHarness(t, withLimit(64 * KIB));
  const { announce, sendBlobs } = uploader(h);
  const old = randomBytes(50 * KIB);
  const { id } = (await announce(manifestOf({ old }))).json();
  await sendBlobs(id, [record(old)]);
  await h.clock.advance(3 * HOUR);
  const fresh = randomBytes(50 * KIB);
  t.equal((await announce(manifestOf({ fresh }))).statusCode, 409);
  const deleted = await h.inject({
    method: 'DELETE',
    url: `/api/runner/v1/files/${id}`,
    headers: { authorization: `Bearer ${h.keys.all}` },
  });
  t.equal(deleted.statusCode, 204);
  await h.pass(10 * 60_000);
  t.equal(await counted(h), 0);
  t.equal((await announce(manifestOf({ fresh }))).statusCode, 201);
});

t.test('parallel requests never exceed the limit, and requests that fit are accepted', async (t) => {
  const h = await startHarness(t, withLimit(512 * KIB));
  const { announce, sendBlobs } = uploader(h);
  const contents = Array.from({ length: 16 }, () => randomBytes(100 * KIB));
  // Each upload is created while there is space for it.
  const ids = await Promise.all(
    contents.map(async (content, i) => (await announce(manifestOf({ content }, `p${i}`))).json().id),
  );
  const answers = await Promise.all(contents.map((content, i) => sendBlobs(ids[i], [record(content)])));
  const stored = answers.filter(({ statusCode }) => statusCode === 200).length;
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
    t.same([answer.statusCode, code(answer)], [409, 'storage_quota_exceeded']);
  }
  t.equal(stored, 5);
  t.ok((await counted(h)) <= 512 * KIB);
});

t.test('a body that is cut or has wrong bytes releases its reservation', async (t) => {
  const h = await startHarness(t, withLimit(100 * KIB));
  const { announce, sendBlobs } = uploader(h);
  const content = randomBytes(90 * KIB);
  const { id } = (await announce(manifestOf({ content }))).json();
  for (const bad of [
    record(content).subarray(0, 50 * KIB),
    Buffer.concat([record(content).subarray(0, -1), Buffer.from('x')]),
  ]) {
    t.equal(code(await sendBlobs(id, [bad])), 'invalid_blob');
  }
  t.equal((await sendBlobs(id, [record(content)])).statusCode, 200);
  await counted(h);
});

t.test('a tar that does not fit is refused, and its stored contents are collected', async (t) => {
  const h = await startHarness(t, withLimit(100 * KIB));
  const { sendTar } = uploader(h);
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-quota-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), randomBytes(45 * KIB));
  const refused = await sendTar(tarOf(folder, 'a', 'b', 'c'));
  t.same([refused.statusCode, code(refused)], [409, 'storage_quota_exceeded']);
  t.equal(await counted(h), 90 * KIB);
  await h.pass(60 * HOUR);
  t.equal(await counted(h), 0);
});

t.test('the ledger matches the rows after any uploads, deletions and expiries', async (t) => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('send' as const),
      files: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('delete' as const), nth: fc.nat(20) }),
    fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  );
  const words = Array.from({ length: 10 }, (_, i) => randomBytes(500 * (i + 1)));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const h = await startHarness(t, withLimit(16 * KIB));
      const { announce, sendBlobs } = uploader(h);
      const made: string[] = [];
      for (const one of steps) {
        if (one.kind === 'send') {
          const folder = Object.fromEntries(one.files.map((n) => [`f${n}`, words[n] as Buffer]));
          const answer = await announce(manifestOf(folder));
          if (answer.statusCode !== 201) continue;
          made.push(answer.json().id);
          await sendBlobs(
            answer.json().id,
            Object.values(folder).map((bytes) => record(bytes)),
          );
        } else if (one.kind === 'delete') {
          await h.inject({
            method: 'DELETE',
            url: `/api/runner/v1/files/${made[one.nth % Math.max(1, made.length)] ?? 'up_none'}`,
            headers: { authorization: `Bearer ${h.keys.all}` },
          });
        } else {
          await h.pass(one.hours * HOUR);
        }
        const { ledger, recount } = await ledgerAndRecount(h.store, h.org.id);
        if (JSON.stringify(ledger) !== JSON.stringify(recount)) throw new Error(JSON.stringify({ ledger, recount }));
        if (ledger.contentsBytes > 16 * KIB) throw new Error(`${ledger.contentsBytes} bytes stored`);
      }
      await h.close();
    }),
    { numRuns: cases(4) },
  );
});
