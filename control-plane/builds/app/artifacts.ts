// Artifacts of builds: stored as hosts send them, downloaded through short-lived signed addresses.
import type { Readable } from 'node:stream';
import { badArtifactName } from '../../../shared/paths/artifact-name.js';
import type { StorageQuota } from '../../access/app/storage-quota.js';
import type { Core } from '../../platform/app/core.js';
import { createTickets, type Ticket } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { readArtifactRecords } from '../../platform/blobs/artifact-records.js';
import { isMismatch } from '../../platform/blobs/blob-error.js';
import { put } from '../../platform/blobs/content-store.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { AddressedAs, ByteRange } from '../../platform/blobs/object-store.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Artifact } from '../domain/file.js';
import { deleteExpiredArtifacts, findArtifact, findArtifactByName } from '../store/artifacts.js';
import { findAnyBuild } from '../store/builds.js';
import { type RefusedArtifact, receiveArtifacts, recordAll, reserveFor } from './artifact-intake.js';
import { createArtifactRoom } from './artifact-room.js';

export interface ArtifactsDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly contents: Pick<Contents, 'artifacts'>;
  readonly vault: Vault;
  readonly quota: StorageQuota;
}

export interface NewArtifact {
  readonly buildId: string;
  readonly attempt: number;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Default: false. */
  readonly executable?: boolean;
}

export interface Download {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Rejects if the content no longer exists. */
  read(range?: ByteRange): Promise<Readable>;
  /** Returns an address at the object store from which anybody can fetch the artifact for a while; null if there is none. */
  address(as: Omit<AddressedAs, 'validMs'>): string | null;
}

export type Artifacts = ReturnType<typeof createArtifacts>;

const AT_ONCE = 100;

export function createArtifacts(deps: ArtifactsDeps) {
  const { store, clock, limits, quota } = deps;
  const tickets = createTickets(deps, { purpose: 'artifact-download', validMs: limits.artifact_address_ms });
  const { artifacts } = deps.contents;
  const room = createArtifactRoom(store, limits);

  const read = ({ accountId, blobKey }: Artifact, range?: ByteRange) =>
    artifacts.open(String(accountId), blobKey, range);

  return {
    /** Rejects if the content no longer exists. */
    read,

    /**
     * Stores an artifact after verifying its size and hash. Idempotent; different content under the same name replaces
     * the earlier one.
     *
     * @throws ApiError `build_not_found`, `invalid_artifact`, `payload_too_large`, `storage_quota_exceeded`; BlobError
     *   `no_space`, `failed`
     */
    async store({ buildId, attempt, name, bytes, sha256, executable = false }: NewArtifact, stream: Readable) {
      checkName(name);
      const build = await findAnyBuild(store, buildId);
      if (!build) throw new ApiError('build_not_found');
      const earlier = await findArtifactByName(store, { buildId, attempt, name });
      if (earlier?.sha256 === sha256 && earlier.executable === executable) return;
      const { accountId, workspaceId } = build;
      const stored = quota.begin(build, 'artifacts');
      const reservation = await reserveFor(room, stored, { buildId, attempt, name, bytes });
      if (typeof reservation === 'string') {
        stored.release();
        throw reservation === 'payload_too_large' ? tooLarge() : new ApiError(reservation);
      }
      const scope = String(accountId);
      let useless: string | null = null;
      try {
        const body = stream as AsyncIterable<Buffer>;
        const { key } = await put(artifacts, scope, body, { sha256, size: bytes }).catch(asInvalidArtifact);
        useless = key;
        const artifact = {
          fileId: newId('file'),
          accountId,
          workspaceId,
          buildId,
          attempt,
          name,
          bytes,
          sha256,
          executable,
          blobKey: key,
          createdAt: clock.now(),
        };
        const write = () => store.transaction((tx) => recordAll(tx, limits, [artifact]));
        const { tooMany, superseded } = await reservation.record(() => stored.store(bytes, write));
        if (tooMany.length > 0) throw tooLarge();
        useless = superseded[0] ?? null;
      } finally {
        reservation.release();
        stored.release();
        if (useless !== null) await artifacts.delete(scope, useless);
      }
    },

    /**
     * Stores many small artifacts from one body (see `artifact-records.ts`) and returns the refused ones.
     *
     * @throws ApiError `build_not_found`, `payload_too_large`; BlobError `malformed` on a malformed body, `no_space`, `failed`
     */
    async storeMany(
      { buildId, attempt }: { readonly buildId: string; readonly attempt: number },
      body: AsyncIterable<Buffer>,
    ): Promise<readonly RefusedArtifact[]> {
      const build = await findAnyBuild(store, buildId);
      if (!build) throw new ApiError('build_not_found');
      const { accountId, workspaceId } = build;
      const owner = { accountId, workspaceId, buildId, attempt };
      return receiveArtifacts({ store, clock, limits, artifacts, room, quota }, owner, readArtifactRecords(body));
    },

    /** Returns an unforgeable ticket to download this artifact until `expiresAt`. */
    ticket: ({ fileId }: Artifact): Ticket => tickets.issue(fileId),

    /** Returns null if the ticket is forged or expired, or the artifact no longer exists. */
    async open(ticket: string): Promise<Download | null> {
      const fileId = tickets.read(ticket)?.id;
      if (fileId === undefined) return null;
      const artifact = await findArtifact(store, fileId, clock.now() - limits.artifact_kept_ms);
      if (!artifact) return null;
      const { name, bytes, sha256, accountId, blobKey } = artifact;
      return {
        name,
        bytes,
        sha256,
        read: (range) => read(artifact, range),
        address: (as) => artifacts.address(String(accountId), blobKey, { ...as, validMs: limits.artifact_address_ms }),
      };
    },

    /** Deletes expired artifacts and returns how many. */
    async expire(): Promise<number> {
      let removed = 0;
      for (;;) {
        const gone = await store.transaction((tx) =>
          deleteExpiredArtifacts(tx, clock.now() - limits.artifact_kept_ms, AT_ONCE),
        );
        for (const { accountId, blobKey } of gone) await artifacts.delete(String(accountId), blobKey);
        removed += gone.length;
        if (gone.length < AT_ONCE) return removed;
      }
    },
  };
}

/** The host has validated the name already, and clients validate it again before they save the file. */
function checkName(name: string): void {
  const bad = badArtifactName(name);
  if (bad) throw new ApiError('invalid_artifact', { message: `The name of the artifact ${bad}.` });
}

const tooLarge = () => new ApiError('payload_too_large', { message: 'The artifacts of the build exceed its limits.' });

function asInvalidArtifact(error: unknown): never {
  if (isMismatch(error)) throw new ApiError('invalid_artifact');
  throw error;
}
