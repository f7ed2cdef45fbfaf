// Copies contents and logs of a data folder into an object store, while its service does not run.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { moveLogs } from '../builds/app/log-move.js';
import { namedContents } from '../builds/app/orphan-sweep.js';
import { countBuildsWithLogs, forgetStoredLogs } from '../builds/store/build-logs.js';
import { openObjectStore } from '../compose/objects.js';
import type { Config } from '../config.js';
import { STORED } from '../data-folder.js';
import { moveContents } from '../platform/app/content-move.js';
import {
  beginObjectCopy,
  completedCopy,
  hasObjects,
  isPlaceOf,
  readObjectCopy,
} from '../platform/app/object-identity.js';
import { BlobError } from '../platform/blobs/blob-error.js';
import type { ObjectStore } from '../platform/blobs/object-store.js';
import type { MovedKind, MovedObjects } from '../platform/domain/moved-objects.js';
import { writeMeta } from '../platform/store/meta.js';
import { MoveRefused } from '../platform/store/move/moved.js';
import type { Store } from '../platform/store/sql.js';

export interface MovingObjects {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly config: Pick<Config, 'limits'> & { readonly objects: NonNullable<Config['objects']> };
  /** Whether files may be missing that the database names. */
  readonly evenLost: boolean;
  readonly log: Log;
  /** Aborted when another service has taken the database. */
  readonly signal: AbortSignal;
  note(text: string): void;
  /** Shows how far it is. */
  progress(text: string): void;
}

export interface CopiedObjects {
  readonly objects: MovedObjects;
  /** Values of `meta` that make the objects what is used. */
  readonly meta: Readonly<Record<string, string>>;
  /** An earlier run had copied all, and they are used. */
  readonly before: boolean;
}

/** Names lost files, at most so many. */
const NAMED = 10;

/** @example placeName(config.objects) // 's3://mill/prod' */
export function placeName(objects: NonNullable<Config['objects']>): string {
  if (objects.kind === 'folder') return `file://${objects.path}`;
  return `s3://${objects.bucket}/${objects.prefix}`.replace(/\/$/, '');
}

/**
 * Copies what rows name, and compares it. The files stay what is used.
 *
 * @throws MoveRefused if it cannot be done as asked
 */
export async function copyObjects(store: Store, moving: MovingObjects): Promise<CopiedObjects> {
  const place = placeName(moving.config.objects);
  checkOutside(moving);
  const objects = await openObjectStore(moving.config.objects, {
    limits: moving.config.limits,
    realClock: systemClock,
    log: moving.log,
  });
  try {
    return await copyInto(objects, store, place, moving);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new Error(`the move to ${place} has failed: ${sentence(error.message)} Run it again.`, { cause: error });
  } finally {
    await objects.close();
  }
}

const sentence = (text: string): string => `${text.trim().replace(/\.$/, '')}.`;

/** Makes the copy what is used. */
export async function useObjects(store: Store, { meta }: CopiedObjects): Promise<void> {
  await store.transaction(async (tx) => {
    for (const [name, value] of Object.entries(meta)) await writeMeta(tx, name, value);
  });
  await store.durable();
}

async function copyInto(objects: ObjectStore, store: Store, place: string, moving: MovingObjects) {
  await objects.check();
  if (await hasObjects(store)) {
    const copy = await readObjectCopy(store);
    if (copy?.done && (await isPlaceOf(copy, objects))) return { objects: copy.done, meta: {}, before: true };
    throw new MoveRefused('this installation has its uploads, artifacts and logs in an object store already');
  }
  const { name, earlier } = await beginObjectCopy(store, objects, forgetStoredLogs);
  if (earlier === 'here') moving.note(`an earlier move to ${place} was interrupted: it continues`);
  if (earlier === 'elsewhere')
    moving.note('an earlier move to another place was interrupted: what it copied stays there and is not used');
  const { kinds, lost } = await copyAll(objects, store, moving);
  for (const path of lost.slice(0, NAMED)) moving.note(`missing or damaged: ${path}`);
  if (lost.length > 0 && !moving.evenLost) {
    throw new MoveRefused(
      `${lost.length} files that the database names are missing or damaged in ${moving.data}. Put them back, or give --even-lost to move without them`,
    );
  }
  const done = { place, kinds, lost: lost.length };
  return { objects: done, meta: completedCopy(name, done), before: false };
}

async function copyAll(objects: ObjectStore, store: Store, moving: MovingObjects) {
  const { data, signal, progress } = moving;
  const lost = new Set<string>();
  const deps = {
    store,
    objects,
    signal,
    now: systemClock.now(),
    onLost: (path: string) => void lost.add(path),
  };
  const kinds: MovedKind[] = [];
  const contents = namedContents(store);
  for (const kind of ['blobs', 'manifests', 'artifacts'] as const) {
    const onProgress = counted(kind, await contents[kind].count(), progress);
    kinds.push(await moveContents({ ...deps, root: join(data, 'contents'), onProgress }, kind, contents[kind]));
  }
  const onProgress = counted('logs', await countBuildsWithLogs(store), progress);
  kinds.push(await moveLogs({ ...deps, root: join(data, 'logs'), onProgress }));
  return { kinds, lost: [...lost] };
}

function counted(what: string, all: number, progress: (text: string) => void): (count: number) => void {
  let sum = 0;
  return (count) => {
    sum += count;
    progress(`${what}: ${sum} of ${all}`);
  };
}

/** The folders of the files are deleted after the move. */
function checkOutside({ data, config: { objects } }: MovingObjects): void {
  if (objects.kind !== 'folder') return;
  const path = realPath(objects.path);
  for (const name of STORED) {
    const from = relative(realPath(join(data, name)), path);
    if (!from.startsWith('..')) throw new MoveRefused(`${objects.path} is in the folder ${name} that is moved`);
  }
}

/** With links resolved, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPath(above), relative(above, path));
}
