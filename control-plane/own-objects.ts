// The service starts only with the object store that has its objects.
import type { Log } from '../shared/log.js';
import { claimObjects, type WrongPlace } from './platform/app/object-identity.js';
import { BlobError } from './platform/blobs/blob-error.js';
import type { ObjectStore } from './platform/blobs/object-store.js';
import type { Store } from './platform/store/sql.js';
import { StartError } from './start-error.js';

const problems: Readonly<Record<WrongPlace, string>> = {
  unset: 'uploads, artifacts and logs of this installation are in an object store: set CIDERMILL_OBJECTS as it was',
  files:
    'this installation has uploads, artifacts or logs in its data folder: move them with cidermill admin migrate --objects, or unset CIDERMILL_OBJECTS',
  other:
    'the place that CIDERMILL_OBJECTS names does not have the objects of this installation: name the one that it has used, or a complete copy of it',
};

/** Throws StartError. A store that does not answer is looked at again at the next start. */
export async function useOwnObjects(store: Store, objects: ObjectStore | null, log: Log): Promise<void> {
  const wrong = await claimObjects(store, objects).catch((error: unknown) => {
    if (!(error instanceof BlobError)) throw error;
    log.warn({ err: error }, 'the object store does not answer, so that nobody knows yet whether it is the right one');
    return null;
  });
  if (wrong !== null) throw new StartError(problems[wrong]);
}
