// Stores contents and releases half of them, again and again, in a process of its own, which a test kills.
import { randomBytes } from 'node:crypto';
import { createStorageQuota } from '../../control-plane/access/app/storage-quota.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { beginIntake } from '../../control-plane/uploads/app/blob-intake.js';
import { deleteBlobs, pageBlobs } from '../../control-plane/uploads/store/blobs.js';
import { systemClock } from '../../shared/clock.js';
import { pieces } from '../platform/content-store-conformance.js';
import { openBlobs } from './blob-folder.js';

const [, , folder = ''] = process.argv;
const { store, contents, accountId } = await openBlobs(folder);
const { blobs } = contents;
const quota = createStorageQuota({ store, limits: defaultLimits });
for (let n = 0; ; n++) {
  const intake = beginIntake({ store, clock: systemClock, blobs, quota }, { accountId, workspaceId: 'ws_1' }, true);
  for (let i = 0; i < 60; i++) {
    const bytes = randomBytes(i % 20 === 0 ? 100_000 : 3_000);
    await intake.add(pieces(bytes), { size: bytes.length });
  }
  await intake.finish();
  process.send?.(n);
  const half = (await pageBlobs(store, accountId, '', 100)).filter((_, i) => i % 2 === 0);
  const keys = await store.transaction((tx) =>
    deleteBlobs(
      tx,
      accountId,
      half.map(({ sha256 }) => sha256),
      systemClock.now() + 1,
    ),
  );
  for (const key of keys) await blobs.delete(String(accountId), key);
}
