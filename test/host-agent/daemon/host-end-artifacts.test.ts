// Artifacts on the link: before the result, across outages, in batches, refused, stopped.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { readArtifactRecords } from '../../../control-plane/platform/blobs/artifact-records.js';
import { BlobError } from '../../../control-plane/platform/blobs/blob-error.js';
import { ApiError } from '../../../control-plane/platform/domain/error-catalog.js';
import { gate } from '../../harness/gate.js';
import type { LinkServiceOptions } from '../../harness/link-service.js';
import { sha256 } from '../../harness/sha256.js';
import { world } from './link-world.js';

t.test('artifacts arrive before the result, across outages, and failures become warnings', async (t) => {
  const stored = new Map<string, Buffer>();
  let trouble = 2;
  const files: LinkServiceOptions['files'] = {
    assignment: async () => ({ accountId: 1, uploadId: null }),
    async storeArtifact(artifact, stream) {
      if (artifact.name === 'refused.bin') throw new ApiError('payload_too_large');
      if (trouble-- > 0) throw new Error('storage is away');
      const data = await buffer(stream);
      if (sha256(data) !== artifact.sha256) throw new ApiError('invalid_artifact');
      stored.set(artifact.name, data);
    },
    storeArtifacts: async (_ref, body) => storeRecords(body, stored),
  };
  const { service, proxy, agent, assign } = await world(t, { files });
  const contents = new Map([
    ['out/app.zip', randomBytes(9_000_000)],
    ['empty', Buffer.alloc(0)],
    ['ümlaut & co.txt', Buffer.from('x')],
    ['refused.bin', randomBytes(3_000_000)],
  ]);
  await agent({
    run: async (build) => {
      for (const [name, data] of contents) await build.artifact(name, data);
      proxy.cut();
      build.finish();
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  contents.delete('refused.bin');
  for (const [name, data] of contents) t.ok(stored.get(name)?.equals(data), name);
  t.same(result.warnings, ['The artifact refused.bin could not be stored: payload_too_large.']);
});

/** Stores a batch of artifacts as the control plane does, except names that begin with `refused`. */
async function storeRecords(body: AsyncIterable<Buffer>, stored: Map<string, Buffer>) {
  const refused: { name: string; code: string }[] = [];
  for await (const { name, sha256: hash, body: content } of readArtifactRecords(body)) {
    const data = await buffer(Readable.from(content));
    const bad = name.startsWith('refused') || sha256(data) !== hash;
    if (bad) refused.push({ name, code: 'payload_too_large' });
    else stored.set(name, data);
  }
  return refused;
}

t.test('small artifacts are sent in batches, and many failures become few warnings', async (t) => {
  const stored = new Map<string, Buffer>();
  let requests = 0;
  const files: LinkServiceOptions['files'] = {
    assignment: async () => ({ accountId: 1, uploadId: null }),
    async storeArtifact(artifact, stream) {
      stored.set(artifact.name, await buffer(stream));
    },
    storeArtifacts(_ref, body) {
      requests++;
      return storeRecords(body, stored);
    },
  };
  const { service, agent, assign } = await world(t, { files });
  await agent({
    run: async (build) => {
      for (let i = 0; i < 1100; i++) await build.artifact(`f${i}`, Buffer.from(`content ${i}`));
      for (let i = 0; i < 50; i++) await build.artifact(`refused ${i}`, Buffer.from('x'));
      build.finish();
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  t.equal(stored.size, 1100);
  t.equal(requests, 3, '512 in a request');
  t.equal(result.warnings.length, 21);
  t.equal(result.warnings.at(-1), '30 more artifacts could not be stored.');
  t.match(result, { outcome: 'exited', exit_code: 0 });
});

t.test(
  'a service that cannot store artifacts holds a build for a bounded time, and its warnings say why',
  async (t) => {
    let requests = 0;
    const full = async () => {
      requests++;
      throw new ApiError('uploads_unavailable', { retryAfterS: 1 });
    };
    const files: LinkServiceOptions['files'] = {
      assignment: async () => ({ accountId: 1, uploadId: null }),
      storeArtifact: full,
      storeArtifacts: full,
    };
    const { service, agent, assign } = await world(t, { files });
    await agent({
      limits: { artifactRefusedMs: 100 },
      run: async (build) => {
        for (const name of ['a', 'b']) await build.artifact(name, Buffer.from(name));
        for (const name of ['large', 'larger']) await build.artifact(name, randomBytes(3_000_000));
        build.finish();
      },
    });
    assign('rb_1');
    const result = await service.builds.finishedOnce('rb_1');
    t.match(result, { outcome: 'exited', exit_code: 0 });
    t.same(
      result.warnings,
      ['a', 'b', 'large', 'larger'].map(
        (name) => `The artifact ${name} could not be stored: uploads_unavailable, the service has refused for 0.1 s.`,
      ),
    );
    t.ok(requests >= 4 && requests <= 6, `each batch is tried, the first one again: ${requests}`);
  },
);

t.test('while the object store is away artifacts wait on the host, and are sent again', async (t) => {
  const stored = new Map<string, Buffer>();
  let refused = 0;
  const away = () => {
    if (++refused <= 2) throw new BlobError('away', 'The object store does not answer.');
  };
  const files: LinkServiceOptions['files'] = {
    assignment: async () => ({ accountId: 1, uploadId: null }),
    async storeArtifact(artifact, stream) {
      const bytes = await buffer(stream);
      away();
      stored.set(artifact.name, bytes);
    },
    async storeArtifacts(_ref, body) {
      const refusedNames = await storeRecords(body, stored);
      away();
      return refusedNames;
    },
  };
  const { service, agent, assign } = await world(t, { files });
  const large = randomBytes(3_000_000);
  await agent({
    // On a full disk the host would have given up by then.
    limits: { artifactRefusedMs: 1, artifactAttempts: 1 },
    run: async (build) => {
      await build.artifact('small', Buffer.from('small'));
      await build.artifact('large', large);
      build.finish();
    },
  });
  assign('rb_1');
  const result = await service.builds.finishedOnce('rb_1');
  t.match(result, { outcome: 'exited', exit_code: 0, warnings: [] });
  t.ok(stored.get('large')?.equals(large));
  t.equal(stored.get('small')?.toString(), 'small');
});

t.test('a stop while artifacts are sent ends the build and keeps what was sent', async (t) => {
  for (const reason of ['cancelled_by_user', 'timeout'] as const) {
    const stored = new Map<string, Buffer>();
    const { open: reached, opened: sending } = gate();
    const files: LinkServiceOptions['files'] = {
      assignment: async () => ({ accountId: 1, uploadId: null }),
      storeArtifact: () => new Promise(() => reached()),
      storeArtifacts: async (_ref, body) => storeRecords(body, stored),
    };
    const { service, hostId, agent, assign } = await world(t, { files });
    await agent({
      limits: { stoppedArtifactsMs: 10 },
      run: async (build) => {
        for (const name of ['a', 'b']) await build.artifact(name, Buffer.from(name));
        // Never resolves.
        await build.artifact('large', randomBytes(3_000_000));
        await build.artifact('later', Buffer.from('x'));
        build.finish({ exit_code: 3 });
      },
    });
    assign('rb_1');
    await sending;
    service.builds.recorded('rb_1').stop = reason;
    service.wake.wake('host', hostId);
    const result = await service.builds.finishedOnce('rb_1');
    t.match(result, { outcome: 'stopped', stop_reason: reason, exit_code: 3, step: 'artifacts' });
    t.same([...stored.keys()], ['a', 'b'], 'what was sent stays');
    t.same(result.warnings, ['2 of 4 artifacts were not sent: the build was stopped.']);
  }
});
