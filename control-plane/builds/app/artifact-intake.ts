// Stores many small artifacts in batches: one pack file and one fsync for the contents, one transaction for the rows.
import { badArtifactName } from '../../../shared/paths/artifact-name.js';
import type { StorageQuota, Reservation as StorageReservation } from '../../access/app/storage-quota.js';
import type { Core } from '../../platform/app/core.js';
import type { ArtifactRecord } from '../../platform/blobs/artifact-records.js';
import { isMismatch } from '../../platform/blobs/blob-error.js';
import { type ContentStore, SMALL_CONTENT } from '../../platform/blobs/content-store.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Artifact } from '../domain/file.js';
import { artifactTotals, deleteArtifact, findArtifactByName, insertArtifact } from '../store/artifacts.js';
import type { ArtifactRoom, Reservation } from './artifact-room.js';

export interface ArtifactIntakeDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly artifacts: ContentStore;
  readonly room: ArtifactRoom;
  readonly quota: StorageQuota;
}

/** The attempt that produced the artifacts. */
export interface ArtifactOwner {
  readonly accountId: number;
  readonly workspaceId: string;
  readonly buildId: string;
  readonly attempt: number;
}

/** An artifact that was refused; the others are stored. */
export interface RefusedArtifact {
  readonly name: string;
  readonly code: 'invalid_artifact' | 'payload_too_large' | 'storage_quota_exceeded';
}

/** Batch size that triggers a write; small contents stay in memory until then. */
const BATCH = { contents: 512, smallBytes: 2 * 1024 * 1024 };

/**
 * Stores artifacts as they arrive and returns the refused ones. Idempotent; different content under the same name
 * replaces the earlier one. If the body ends early, the artifacts received before that are kept.
 *
 * @throws ApiError `payload_too_large` after more records than a build may have artifacts; BlobError `no_space`, `failed`; what the records throw
 */
export async function receiveArtifacts(
  deps: ArtifactIntakeDeps,
  owner: ArtifactOwner,
  records: AsyncIterable<ArtifactRecord>,
): Promise<RefusedArtifact[]> {
  const refused: RefusedArtifact[] = [];
  const stored = deps.quota.begin(owner, 'artifacts');
  let batch = createBatch(deps, owner, stored);
  const flush = async () => {
    const full = batch;
    batch = createBatch(deps, owner, stored);
    for (const name of await full.store()) refused.push({ name, code: 'payload_too_large' });
  };
  let received = 0;
  try {
    for await (const record of records) {
      if (++received > deps.limits.artifact_files) throw new ApiError('payload_too_large');
      const { name, bytes } = record;
      const reservation = isAcceptable(record, deps.limits)
        ? await reserveFor(deps.room, stored, { ...owner, name, bytes }, flush)
        : 'invalid_artifact';
      if (typeof reservation === 'string') refused.push({ name, code: reservation });
      else if (!(await batch.add(record, reservation))) refused.push({ name, code: 'invalid_artifact' });
      if (batch.full()) await flush();
    }
  } finally {
    await flush().finally(stored.release);
  }
  return refused;
}

const isAcceptable = ({ name, bytes }: ArtifactRecord, limits: Limits) =>
  badArtifactName(name) === null && bytes <= limits.artifact_bytes;

/**
 * Reserves room in the build and in the account's storage, waiting while the reservations of other requests leave too
 * little.
 *
 * @param flush releases the caller's reservations; called before waiting, to prevent deadlocks between requests
 */
export async function reserveFor(
  room: ArtifactRoom,
  stored: StorageReservation,
  of: { buildId: string; attempt: number; name: string; bytes: number },
  flush: () => Promise<void> = async () => {},
): Promise<Reservation | 'payload_too_large' | 'storage_quota_exceeded'> {
  for (let waits = false; ; waits = true) {
    const reservation = await room.reserve(of);
    if (reservation === 'full') return 'payload_too_large';
    if (reservation !== 'taken') {
      try {
        await stored.take(of.bytes);
        return reservation;
      } catch (error) {
        reservation.release();
        if (error instanceof ApiError && error.code === 'storage_quota_exceeded') return error.code;
        throw error;
      }
    }
    if (waits) await room.changed(of);
    else await flush();
  }
}

function createBatch(
  { store, clock, limits, artifacts }: ArtifactIntakeDeps,
  owner: ArtifactOwner,
  stored: StorageReservation,
) {
  const scope = String(owner.accountId);
  const contents = artifacts.batch(scope);
  const staged: Artifact[] = [];
  const reservations: Reservation[] = [];
  let smallBytes = 0;
  let taken = 0;
  const release = () => {
    for (const reservation of reservations) reservation.release();
  };

  return {
    full: () => staged.length >= BATCH.contents || smallBytes >= BATCH.smallBytes,

    /** Returns false if the content does not match its record. */
    async add({ name, sha256, bytes, executable, body }: ArtifactRecord, reservation: Reservation): Promise<boolean> {
      taken += bytes;
      try {
        const { key: blobKey } = await contents.add(body, { sha256, size: bytes });
        const { accountId, workspaceId, buildId, attempt } = owner;
        const createdAt = clock.now();
        const whose = { accountId, workspaceId, buildId, attempt };
        const what = { name, bytes, sha256, executable, blobKey };
        staged.push({ fileId: newId('file'), ...whose, ...what, createdAt });
        reservations.push(reservation);
        if (bytes <= SMALL_CONTENT) smallBytes += bytes;
        return true;
      } catch (error) {
        reservation.release();
        if (isMismatch(error)) return false;
        throw error;
      }
    },

    /** Returns the names of the artifacts that exceed the build's limits. */
    async store(): Promise<string[]> {
      try {
        const [first] = reservations;
        if (!first) return [];
        await contents.commit();
        let useless: readonly string[] = staged.map(({ blobKey }) => blobKey);
        try {
          const { tooMany, superseded } = await first.record(async () => {
            const write = () => store.transaction((tx) => recordAll(tx, limits, staged));
            const recorded = await stored.store(taken, write);
            release();
            return recorded;
          });
          useless = superseded;
          return tooMany;
        } finally {
          for (const key of useless) await artifacts.delete(scope, key);
        }
      } finally {
        release();
        await contents.abort();
      }
    },
  };
}

/**
 * Writes the rows in one transaction, reading the totals once. `superseded` holds content keys that no row refers to
 * afterwards.
 */
export async function recordAll(
  tx: Transaction,
  limits: Limits,
  staged: readonly Artifact[],
): Promise<{ tooMany: string[]; superseded: string[] }> {
  const [first] = staged;
  const tooMany: string[] = [];
  const superseded: string[] = [];
  if (!first) return { tooMany, superseded };
  let { files, bytes } = await artifactTotals(tx, first);
  for (const artifact of staged) {
    const earlier = await findArtifactByName(tx, artifact);
    const kept = earlier ? { files: files - 1, bytes: bytes - earlier.bytes } : { files, bytes };
    if (earlier?.sha256 === artifact.sha256 && earlier.executable === artifact.executable) {
      superseded.push(artifact.blobKey);
    } else if (kept.files >= limits.artifact_files || kept.bytes + artifact.bytes > limits.artifact_bytes) {
      superseded.push(artifact.blobKey);
      tooMany.push(artifact.name);
    } else {
      if (earlier) {
        await deleteArtifact(tx, earlier.fileId);
        superseded.push(earlier.blobKey);
      }
      await insertArtifact(tx, artifact);
      files = kept.files + 1;
      bytes = kept.bytes + artifact.bytes;
    }
  }
  return { tooMany, superseded };
}
