// Objects in a real S3-compatible store.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createRequests } from '../../control-plane/platform/blobs/s3/requests.js';
import { openS3Objects } from '../../control-plane/platform/blobs/s3/s3-objects.js';
import { systemClock } from '../../shared/clock.js';
import { SWIFT_PART, startSwift } from '../harness/swift.js';
import { objectStoreConformance } from '../platform/object-store-conformance.js';

t.test('objects in Swift', async (t) => {
  const place = await startSwift(t);
  const all = createRequests({ ...place, prefix: '' }, systemClock);
  t.teardown(() => all.close());
  const open = (prefix: string) => openS3Objects({ ...place, prefix, clock: systemClock, partBytes: SWIFT_PART });
  let stores = 0;

  await t.test('as every store', async (t) => {
    objectStoreConformance(
      t,
      async () => {
        const prefix = `store-${++stores}/`;
        const keysOf = async (query: Record<string, string>) =>
          [...(await all.call({ method: 'GET', key: null, query })).text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(
            ([, key = '']) => key,
          );
        return {
          objects: open(prefix),
          everything: async () => [...(await keysOf({ prefix })), ...(await keysOf({ uploads: '', prefix }))],
        };
      },
      { part: SWIFT_PART },
    );
  });

  await t.test('a signed address, with the headers that it names', async (t) => {
    const objects = open('addresses/');
    await objects.put('a', Buffer.from('0123456789'));
    const disposition = `attachment; filename="a (1).txt"; filename*=UTF-8''%C3%A4.txt`;
    const address = objects.address('a', { disposition, type: 'application/octet-stream', validMs: 60_000 }) ?? '';
    const answer = await fetch(address, { headers: { range: 'bytes=2-4' } });
    t.same([answer.status, await answer.text()], [206, '234']);
    t.equal(answer.headers.get('content-disposition'), disposition);
    t.equal((await fetch(address.replace('/a?', '/b?'))).status, 403);
  });

  await t.test('unfinished uploads of killed processes are aborted', async (t) => {
    const objects = open('killed/');
    await all.call({ method: 'POST', key: 'killed/a', query: { uploads: '' } });
    t.equal(await objects.dropUnfinished(Date.now() - 3_600_000), 0);
    t.equal(await objects.dropUnfinished(Date.now() + 3_600_000), 1);
    t.equal(await objects.dropUnfinished(Date.now() + 3_600_000), 0);
  });

  await t.test('another secret is refused', async (t) => {
    const objects = openS3Objects({ ...place, prefix: '', secretAccessKey: 'another', clock: systemClock });
    await t.rejects(objects.put('a', randomBytes(10)), { name: 'BlobError', kind: 'away' });
  });
});
