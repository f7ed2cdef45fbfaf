// Rows whose bytes are lost: after a restore without the files, or on a damaged disk. A content whose row is deleted
// is requested again by the next upload.
import { isListed } from '../../platform/blobs/content-store.js';
import type { Contents } from '../../platform/blobs/contents.js';
import { inParallel } from '../../platform/blobs/file-system.js';
import type { Store } from '../../platform/store/sql.js';
import { accountsWithContents, countDeletion } from '../store/blob-accounts.js';
import { forgetBlobs, pageBlobs, type StoredBlob } from '../store/blobs.js';
import { deleteLostUploads, distrustUploads, listManifests } from '../store/uploads.js';

export interface LostContentsDeps {
  readonly store: Store;
  readonly contents: Pick<Contents, 'blobs' | 'manifests'>;
}

const PAGE = 1_000;
const LOOKS_AT_ONCE = 8;

/**
 * Returns the number of lost contents. Bytes are written before their row and deleted after it, so no other state
 * looks like this.
 */
export async function forgetLost(deps: LostContentsDeps): Promise<number> {
  let lost = 0;
  // An object store does not lose objects, and asking it for each one every day would cost more than all else.
  if (!isListed(deps.contents.blobs)) return lost;
  for (const accountId of await accountsWithContents(deps.store)) {
    lost += await forgetLostBlobs(deps, accountId);
    await forgetLostManifests(deps, accountId);
  }
  return lost;
}

async function forgetLostBlobs({ store, contents }: LostContentsDeps, accountId: number): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const page = await pageBlobs(store, accountId, after, PAGE);
    const lost: StoredBlob[] = [];
    await inParallel(page, LOOKS_AT_ONCE, async (blob) => {
      if ((await contents.blobs.stat(String(accountId), blob.blobKey)) === null) lost.push(blob);
    });
    if (lost.length > 0) {
      count += await store.transaction(async (tx) => {
        // Concurrent acceptance checks the contents again, and no upload counts as complete without a check.
        await countDeletion(tx, accountId);
        await distrustUploads(tx, accountId);
        return forgetBlobs(tx, accountId, lost);
      });
    }
    after = page.at(-1)?.sha256 ?? '';
    if (page.length < PAGE) return count;
  }
}

/** An upload without its manifest is useless; one that a build uses is removed when the build has ended. */
async function forgetLostManifests({ store, contents }: LostContentsDeps, accountId: number): Promise<void> {
  const lost: string[] = [];
  await inParallel(await listManifests(store, accountId, 0), LOOKS_AT_ONCE, async ({ key }) => {
    if ((await contents.manifests.stat(String(accountId), key)) === null) lost.push(key);
  });
  if (lost.length > 0) await store.transaction((tx) => deleteLostUploads(tx, lost));
}
