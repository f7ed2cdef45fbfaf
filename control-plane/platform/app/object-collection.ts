// Deletes objects that no row refers to, by the ledger of objects: the store is never listed.

import { isErrno } from '../../../shared/errno.js';
import { packedKey } from '../blobs/content-places.js';
import { inParallel } from '../blobs/file-system.js';
import type { ObjectPacks } from '../blobs/object-packs.js';
import { placeOfObject } from '../blobs/object-places.js';
import type { ObjectStore } from '../blobs/object-store.js';
import { DamagedPackError, encodePack, slotsIn } from '../blobs/pack.js';
import { claimDueObjects, forgetObjects, type KeptObject, keepObjects, nextCheck } from '../store/kept-objects.js';
import type { Core } from './core.js';

/** Returns those of an account's content keys that rows refer to. */
export type KnownKeys = (accountId: number, keys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface ObjectCollectionDeps extends Pick<Core, 'store' | 'clock' | 'log'> {
  readonly objects: ObjectStore;
  readonly packs: ObjectPacks;
}

/** Objects in one round. */
const AT_ONCE = 500;
const PACKS_AT_ONCE = 4;
/** Nobody else checks an object meanwhile; longer than a round with all its repeated requests, ms. */
const CLAIM_MS = 30 * 60_000;
/** An object that rows refer to is checked again after this time: its last row may have gone with a killed process, ms. */
export const RECHECK_MS = 7 * 24 * 3_600_000;
/** Minimum of unused bytes before a pack is written again without them. */
const WORTH_FREEING = 64 * 1024;

export interface Collected {
  readonly deleted: number;
  /** More objects are due. */
  readonly more: boolean;
  /** When the next check is due; null if there are no objects. */
  readonly dueAt: number | null;
}

/**
 * Checks the objects that are due, up to a limit. While the store is away nothing changes: they are due again later.
 *
 * @param known by the first part of the objects' keys
 * @throws BlobError `away`
 */
export async function collectObjects(
  deps: ObjectCollectionDeps,
  known: Readonly<Record<string, KnownKeys>>,
): Promise<Collected> {
  const { store, clock, objects, packs } = deps;
  const now = clock.now();
  const due = await store.transaction((tx) => claimDueObjects(tx, { now, until: now + CLAIM_MS, limit: AT_ONCE }));
  const unused = due.filter(({ state }) => state === 'unused').map(({ objectKey }) => objectKey);
  const kept: string[] = [];
  const decide = (objectKey: string, isUsed: boolean) => (isUsed ? kept : unused).push(objectKey);

  const checked = due.filter(({ state }) => state !== 'unused');
  for (const group of wholeObjects(checked)) {
    const used = await knownOf(known, group.kind)(Number(group.scope), [...group.contents.values()]);
    for (const [objectKey, contentKey] of group.contents) decide(objectKey, used.has(contentKey));
  }
  // Without a content's key no row can refer to it.
  unused.push(...checked.filter((one) => one.contentKey === null && !isPack(one)).map(({ objectKey }) => objectKey));
  await inParallel(checked.filter(isPack), PACKS_AT_ONCE, async ({ objectKey }) => {
    decide(objectKey, await checkPack(deps, known, objectKey));
  });

  // After a power loss a row deleted just now could reappear, but its content could not.
  await store.durable();
  await objects.delete(unused);
  for (const objectKey of unused) packs.forget(objectKey);
  await store.transaction(async (tx) => {
    await forgetObjects(tx, unused);
    await keepObjects(tx, kept, now + RECHECK_MS);
  });
  return { deleted: unused.length, more: due.length === AT_ONCE, dueAt: await nextCheck(store) };
}

const isPack = ({ objectKey }: KeptObject) => placeOfObject(objectKey)?.isPack === true;

function knownOf(known: Readonly<Record<string, KnownKeys>>, kind: string): KnownKeys {
  const found = known[kind];
  if (!found) throw new Error(`objects of an unknown kind: ${kind}`);
  return found;
}

/** Returns whole contents, by kind and account. */
function wholeObjects(checked: readonly KeptObject[]) {
  const groups = new Map<string, { kind: string; scope: string; contents: Map<string, string> }>();
  for (const { objectKey, contentKey } of checked) {
    const place = placeOfObject(objectKey);
    if (!place || contentKey === null) continue;
    const { kind, scope } = place;
    const group = groups.get(`${kind}/${scope}`) ?? { kind, scope, contents: new Map() };
    groups.set(`${kind}/${scope}`, group);
    group.contents.set(objectKey, contentKey);
  }
  return groups.values();
}

/** Returns whether a row refers to a content of the pack. A pack that is mostly unused is written again without that. */
async function checkPack(
  { objects, packs, log }: ObjectCollectionDeps,
  known: Readonly<Record<string, KnownKeys>>,
  objectKey: string,
): Promise<boolean> {
  const place = placeOfObject(objectKey);
  if (place === null) throw new Error(`not the key of a pack: ${objectKey}`);
  const { kind, scope, generation } = place;
  const bytes = await packs.read(objectKey).catch((error: unknown) => {
    // It was named, and its process killed before the bytes were written.
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  });
  if (bytes === null) return false;
  const slots = readSlots(bytes);
  if (slots === null) {
    log.error({ object: objectKey }, 'a pack of contents is damaged; its contents are not collected');
    return true;
  }
  const keys = slots.map(({ sha256 }, slot) => packedKey(sha256, generation, slot));
  const used = await knownOf(known, kind)(Number(scope), keys);
  if (used.size === 0) return false;
  const entries = slots.map(({ sha256, offset, size, live }, slot) => ({
    sha256,
    bytes: live && used.has(keys[slot] ?? '') ? bytes.subarray(offset, offset + size) : null,
  }));
  const live = entries.reduce((sum, one) => sum + (one.bytes?.length ?? 0), 0);
  if (bytes.length - live <= Math.max(live, WORTH_FREEING)) return true;
  // The keys of its contents stay the same, and who still reads the old bytes finds the same contents.
  const smaller = encodePack(entries);
  await objects.put(objectKey, smaller);
  packs.keep(objectKey, smaller);
  log.debug(
    { object: objectKey, bytes: bytes.length, left: smaller.length },
    'wrote a pack again without unused contents',
  );
  return true;
}

function readSlots(bytes: Buffer) {
  try {
    return slotsIn(bytes);
  } catch (error) {
    if (error instanceof DamagedPackError) return null;
    throw error;
  }
}
