// Whether an upload is complete. Nothing of a live upload is collected, but a disk may lose contents, so a check is
// valid only while the account's count of deletions is unchanged: every transaction that deletes raises it.
import { endTurn, inGroups } from '../../../shared/in-steps.js';
import type { Step } from '../../platform/app/turns.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Upload } from '../domain/upload.js';
import { readBlobCounters } from '../store/blob-accounts.js';
import { presentBlobs } from '../store/blobs.js';
import { setUploadReady } from '../store/uploads.js';
import type { Look, UploadContents } from './upload-contents.js';

export interface UploadStatus {
  readonly upload: Upload;
  /** A page, in manifest order. */
  readonly missing: readonly string[];
  /** After which the next page begins; null on the last one. */
  readonly missingNext: string | null;
}

export interface MissingPage {
  /** Null: from the first. */
  readonly after: string | null;
  readonly most: number;
}

/** Contents looked up in one turn of the event loop. */
const CHECKED_AT_ONCE = 250;
/** In one transaction, which other transactions wait for. */
const CHECKED_IN_TRANSACTION = 2_000;
/** Checks again when contents were deleted during a check. */
const ATTEMPTS = 3;
const FIRST: MissingPage = { after: null, most: 1 };

/**
 * Looks up contents until as many as the page holds are missing; marks the upload as ready when nothing is. Contents
 * that were present before are checked again only when something may have been lost since.
 */
export async function refreshUpload(
  store: Store,
  upload: Upload,
  known: UploadContents,
  step: Step = endTurn,
  page: MissingPage = FIRST,
): Promise<UploadStatus> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const look = await currentLook(store, upload, known, step);
    const found = await findMissing(store, upload, { look, sizes: known.sizes }, page, step);
    if (look.missing.size > 0) return { upload, ...found };
    if (await store.transaction((tx) => markReady(tx, upload, look))) {
      return { upload: { ...upload, ready: true }, ...found };
    }
  }
  return { upload, missing: [], missingNext: null };
}

/**
 * In the transaction that stores the last contents of a request: marks the upload as ready when nothing is missing.
 * Returns false when this requires a check of many contents, which would hold the transaction open too long.
 */
export async function noteCompletion(
  tx: Transaction,
  upload: Upload,
  { look, sizes }: Pick<UploadContents, 'look' | 'sizes'>,
): Promise<boolean> {
  const { deletions } = await readBlobCounters(tx, upload.accountId);
  if (deletions !== look.deletions) return false;
  const present: string[] = [];
  const left = look.missing.values();
  for (let checked = 0; checked < CHECKED_IN_TRANSACTION; checked += CHECKED_AT_ONCE) {
    const group = firstOf(left, CHECKED_AT_ONCE);
    const there = await presentOf(tx, upload, sizes, group);
    present.push(...there);
    if (group.length === CHECKED_AT_ONCE && there.length === group.length) continue;
    if (there.length === group.length) await setUploadReady(tx, upload.uploadId);
    tx.onCommit(() => {
      for (const sha256 of present) look.missing.delete(sha256);
    });
    return true;
  }
  return false;
}

function firstOf(values: Iterator<string>, most: number): string[] {
  const first: string[] = [];
  while (first.length < most) {
    const { value, done } = values.next();
    if (done) break;
    first.push(value);
  }
  return first;
}

/** Returns the first of the missing contents as a page. */
export function pageOfMissing(all: ReadonlySet<string>, most: number): Omit<UploadStatus, 'upload'> {
  const missing = firstOf(all.values(), most);
  return { missing, missingNext: all.size > most ? (missing.at(-1) ?? null) : null };
}

async function currentLook(store: Store, { accountId }: Upload, known: UploadContents, step: Step): Promise<Look> {
  const { deletions } = await readBlobCounters(store, accountId);
  if (known.look.deletions !== deletions) {
    known.look = { deletions, missing: await allOf(known.sizes, step) };
  }
  return known.look;
}

/** Contents that are copied or skipped in one turn, without a query. */
const PASSED_AT_ONCE = 2_000;

/** Returns a set of all contents. */
export async function allOf(sizes: UploadContents['sizes'], step: Step): Promise<Set<string>> {
  const all = new Set<string>();
  for await (const group of inGroups(sizes.keys(), PASSED_AT_ONCE, step)) {
    for (const sha256 of group) all.add(sha256);
  }
  return all;
}

/** Removes from `look` what is present by now, up to the end of the page. */
async function findMissing(
  store: Store,
  upload: Upload,
  { look, sizes }: Pick<UploadContents, 'look' | 'sizes'>,
  { after, most }: MissingPage,
  step: Step,
): Promise<Omit<UploadStatus, 'upload'>> {
  const missing: string[] = [];
  let behind = after === null;
  let group: string[] = [];
  let passed = 0;
  const check = async () => {
    const present = new Set(await presentOf(store, upload, sizes, group));
    for (const sha256 of group) {
      if (present.has(sha256)) look.missing.delete(sha256);
      else missing.push(sha256);
    }
    group = [];
    passed = 0;
  };
  for (const sha256 of sizes.keys()) {
    if (behind && look.missing.has(sha256)) group.push(sha256);
    behind ||= sha256 === after;
    if (group.length < CHECKED_AT_ONCE && ++passed < PASSED_AT_ONCE) continue;
    await check();
    if (missing.length >= most) return { missing: missing.slice(0, most), missingNext: missing[most - 1] ?? null };
    await step();
  }
  await check();
  const next = missing.length > most ? (missing[most - 1] ?? null) : null;
  return { missing: missing.slice(0, most), missingNext: next };
}

async function presentOf(
  q: Queries,
  { accountId }: Upload,
  sizes: UploadContents['sizes'],
  hashes: readonly string[],
): Promise<string[]> {
  const stored = await presentBlobs(q, accountId, hashes);
  return hashes.filter((sha256) => stored.get(sha256) === sizes.get(sha256));
}

/** Returns false if contents were deleted since the lookup. */
async function markReady(tx: Transaction, { accountId, uploadId }: Upload, look: Look): Promise<boolean> {
  const { deletions } = await readBlobCounters(tx, accountId);
  if (deletions !== look.deletions) return false;
  await setUploadReady(tx, uploadId);
  return true;
}
