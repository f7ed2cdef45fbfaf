// Packs are read whole and kept in memory for a while, because the contents of a batch are mostly read together.
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from './object-store.js';

/** In bytes. A pack larger than a quarter of it is not kept. */
const KEPT = 64 * 1024 * 1024;

export type ObjectPacks = ReturnType<typeof createObjectPacks>;

export function createObjectPacks(objects: Pick<ObjectStore, 'open'>) {
  const kept = new Map<string, Buffer>();
  const loading = new Map<string, Promise<Buffer>>();
  let total = 0;

  const forget = (key: string) => {
    total -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, bytes: Buffer) => {
    forget(key);
    if (bytes.length > KEPT / 4) return;
    kept.set(key, bytes);
    total += bytes.length;
    for (const oldest of kept.keys()) {
      if (total <= KEPT) break;
      forget(oldest);
    }
  };

  return {
    /** @throws MissingObjectError, BlobError `away` */
    async read(key: string): Promise<Buffer> {
      const known = kept.get(key);
      if (known) {
        // The map is in order of last use.
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      let load = loading.get(key);
      if (!load) {
        load = objects.open(key).then(buffer);
        loading.set(key, load);
        // Those who read it get the error.
        load
          .then((bytes) => keep(key, bytes))
          .catch(() => undefined)
          .finally(() => loading.delete(key));
      }
      return load;
    },
    keep,
    forget,
  };
}
