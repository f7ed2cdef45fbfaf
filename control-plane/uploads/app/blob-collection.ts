// Garbage collection of contents that no upload names: mark by the manifests, sweep by the rows.
import { endTurn, inGroups } from '../../../shared/in-steps.js';
import type { Core } from '../../platform/app/core.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { Transaction } from '../../platform/store/sql.js';
import { readStoredFiles } from '../formats/manifest.js';
import {
  accountsToCollect,
  collectBy,
  countDeletion,
  nextToCollect,
  noteCollected,
  noteGarbage,
  readBlobCounters,
} from '../store/blob-accounts.js';
import { deleteBlobs, pageBlobs } from '../store/blobs.js';
import { knownManifestKeys, listManifests } from '../store/uploads.js';

export interface CollectionDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly contents: Pick<Contents, 'blobs' | 'manifests'>;
}

/** Contents handled in one turn of the event loop: rows read, names of a manifest compared, rows deleted. */
const PAGE = 1_000;
const NAMES_AT_ONCE = 5_000;
const DELETED_AT_ONCE = 500;

/** Collects all accounts that have garbage and were not collected recently; `dueAt`: when the next one is due. */
export async function collectBlobs(deps: CollectionDeps): Promise<{ deleted: number; dueAt: number | null }> {
  const { store, clock, limits } = deps;
  let deleted = 0;
  for (const accountId of await accountsToCollect(store, clock.now() - limits.blob_collection_ms)) {
    deleted += await collectAccount(deps, accountId);
  }
  const last = await nextToCollect(store);
  return { deleted, dueAt: last === null ? null : last + limits.blob_collection_ms };
}

/** After an upload is deleted on request, its contents are collected within this time if they are old enough, ms. */
const DELETED_MS = 10 * 60_000;

/** Called in the transaction that deletes an upload on request, so that its contents do not count for hours. */
export async function collectSoon(
  tx: Transaction,
  accountId: number,
  { now, blobCollectionMs }: { readonly now: number; readonly blobCollectionMs: number },
): Promise<void> {
  await noteGarbage(tx, accountId);
  await collectBy(tx, accountId, now - blobCollectionMs + DELETED_MS);
}

/**
 * A content is deleted only when it was neither stored nor found present for twice the longest upload request (the
 * files of an archive come before the upload that names them), and when no upload was accepted since the manifests were
 * read: the deleting transaction sees a new one, and then reads its manifest too. The file is deleted after the commit,
 * by a key that is never reused.
 */
export async function collectAccount(deps: CollectionDeps, accountId: number): Promise<number> {
  const { store, clock, limits } = deps;
  const storedUntil = clock.now() - 2 * limits.upload_total_ms;
  const counters = await readBlobCounters(store, accountId);
  const { old, young, unmarked } = await candidates(deps, accountId, storedUntil);
  let markedUpTo = await mark(deps, accountId, 0, unmarked);

  let deleted = 0;
  for await (const group of inGroups(old, DELETED_AT_ONCE)) {
    let garbage = group.filter((sha256) => unmarked.has(sha256));
    while (garbage.length > 0) {
      const keys = await store.transaction(async (tx) => {
        if ((await readBlobCounters(tx, accountId)).uploadsAccepted !== markedUpTo) return null;
        await countDeletion(tx, accountId);
        return deleteBlobs(tx, accountId, garbage, storedUntil);
      });
      if (keys === null) markedUpTo = await mark(deps, accountId, markedUpTo, unmarked);
      for (const key of keys ?? []) await deps.contents.blobs.delete(String(accountId), key);
      deleted += keys?.length ?? 0;
      garbage = keys === null ? garbage.filter((sha256) => unmarked.has(sha256)) : [];
    }
  }
  // Garbage that is still too young is checked again later.
  const again = young.some((sha256) => unmarked.has(sha256)) ? 1 : 0;
  await store.transaction(async (tx) => {
    const now = clock.now();
    await noteCollected(tx, accountId, counters.garbage - again, now);
    // An upload that was deleted on request during this collection does not wait for hours either.
    const { garbage: noted } = await readBlobCounters(tx, accountId);
    if (noted > counters.garbage) await collectBy(tx, accountId, now - limits.blob_collection_ms + DELETED_MS);
  });
  return deleted;
}

async function candidates({ store }: CollectionDeps, accountId: number, storedUntil: number) {
  const old: string[] = [];
  const young: string[] = [];
  const unmarked = new Set<string>();
  for (let after = ''; ; await endTurn()) {
    const page = await pageBlobs(store, accountId, after, PAGE);
    for (const { sha256, storedAt } of page) {
      (storedAt <= storedUntil ? old : young).push(sha256);
      unmarked.add(sha256);
    }
    after = page.at(-1)?.sha256 ?? '';
    if (page.length < PAGE) return { old, young, unmarked };
  }
}

/**
 * Removes from `unmarked` the contents of uploads accepted after `afterSeq`; returns the last upload included. The
 * count is read before the list: an upload accepted in between is listed, and at worst read twice.
 */
async function mark(deps: CollectionDeps, accountId: number, afterSeq: number, unmarked: Set<string>): Promise<number> {
  const { store } = deps;
  const { manifests } = deps.contents;
  const { uploadsAccepted } = await readBlobCounters(store, accountId);
  const read = new Set<string>();
  for (const { sha256, key } of await listManifests(store, accountId, afterSeq)) {
    if (unmarked.size === 0) break;
    if (read.has(sha256)) continue;
    const scope = String(accountId);
    const stored = await manifests.open(scope, key).catch(async (cause: unknown) => {
      if ((await knownManifestKeys(store, [key])).size === 0) return null;
      // Lost: then nothing of the account may be deleted.
      throw new Error(`the manifest ${key} is lost`, { cause });
    });
    // Removed in the meantime, with its upload.
    if (stored === null) continue;
    for await (const group of inGroups(await readStoredFiles(stored), NAMES_AT_ONCE)) {
      for (const file of group) unmarked.delete(file.sha256);
    }
    read.add(sha256);
  }
  return uploadsAccepted;
}
