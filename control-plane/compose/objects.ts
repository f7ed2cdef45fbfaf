// Where contents are kept as objects: in an S3-compatible store, or in a folder that processes share.
import type { Clock } from '../../shared/clock.js';
import type { Config } from '../config.js';
import type { ObjectsConfig } from '../objects-config.js';
import type { Core } from '../platform/app/core.js';
import { createObjectLedger } from '../platform/app/kept-objects.js';
import { createObjectHealth } from '../platform/app/object-place.js';
import { objectContents } from '../platform/blobs/contents.js';
import { createDiskRoom } from '../platform/blobs/disk-room.js';
import { openFolderObjects } from '../platform/blobs/folder-objects.js';
import { createObjectPacks } from '../platform/blobs/object-packs.js';
import type { ObjectStore } from '../platform/blobs/object-store.js';
import { openS3Objects } from '../platform/blobs/s3/s3-objects.js';
import type { Degradation } from '../platform/domain/degradation.js';
import type { Worker } from '../platform/workers/worker.js';
import type { Ports } from './ports.js';

interface ObjectsBase extends Core {
  readonly config: Pick<Config, 'objects'>;
  readonly realClock: Clock;
  readonly ports: Partial<Pick<Ports, 'objects'>>;
}

const LOOK_MS = 10_000;

export async function composeObjects(base: ObjectsBase) {
  const objects = await openObjects(base);
  if (objects === null) {
    return { contents: null, place: null, workers: [], gauges: [], degradations: (): Degradation[] => [] };
  }
  const packs = createObjectPacks(objects);
  const health = createObjectHealth({ ...base, objects });
  const workers: readonly Worker[] = [
    { name: 'objects-look', periodMs: LOOK_MS, run: async () => void (await health.look()) },
  ];
  return {
    contents: objectContents({ objects, packs, ledger: createObjectLedger(base) }),
    place: { objects, packs, health },
    workers,
    gauges: [
      {
        name: 'cidermill_objects_away',
        help: '1 while the object store does not answer.',
        read: () => ({ '': health.isAway() ? 1 : 0 }),
      },
    ],
    degradations: health.degradations,
  };
}

async function openObjects(base: ObjectsBase): Promise<ObjectStore | null> {
  const { objects } = base.config;
  return base.ports.objects ?? (objects && openObjectStore(objects, base));
}

/** Opens the object store that a configuration names. */
export async function openObjectStore(
  objects: NonNullable<ObjectsConfig>,
  { realClock, limits, log }: Pick<ObjectsBase, 'realClock' | 'limits' | 'log'>,
): Promise<ObjectStore> {
  if (objects.kind === 'folder') {
    const room = createDiskRoom(objects.path, { reserveBytes: limits.disk_reserve_bytes, clock: realClock });
    return openFolderObjects(objects.path, { room });
  }
  const { kind: _, ...bucket } = objects;
  return openS3Objects({
    ...bucket,
    clock: realClock,
    onAbortFailed: (key, error) => log.warn({ err: error, key }, 'an unfinished upload of an object is aborted later'),
  });
}
