// Uploads a folder: select files, send the manifest, send missing contents.
import type { Clock } from '../../shared/clock.js';
import { MOST_CHANGES } from '../../shared/manifest-base.js';
import type { BuildClient } from '../build-client.js';
import { CidermillError } from '../cidermill-error.js';
import { type Scan, scanFolder } from '../files/scan.js';
import { SelectionError } from '../files/selection-error.js';
import type { OnWait } from '../http/retry.js';
import type { CreatedUpload } from '../types.js';
import { FileChanged } from './blob-body.js';
import { compressionFor, packManifest } from './manifest.js';
import { projectOf } from './project-name.js';
import { missingOf, sendBlobs } from './send-blobs.js';

/** Above this size the index is saved before sending, so that an interrupted upload need not hash again. */
const LONG_UPLOAD_BYTES = 8 * 1024 * 1024;
const ATTEMPTS = 4;
/** The service limits concurrent uploads of an account, so the next one starts when another ends. */
const ATTEMPTS_WHEN_LIMITED = 60;

export interface PushOptions {
  /** The folder's real, absolute path. */
  dir: string;
  /** Default: see `projectOf`. */
  project?: string | undefined;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  signal?: AbortSignal | undefined;
  onWarning?: (message: string) => void;
  /** Bytes stored so far, and bytes to send. */
  onProgress?: (sent: number, total: number) => void;
  /** Called before each wait for the service to take contents again, with its length in ms. */
  onWait?: OnWait;
}

export interface Pushed {
  upload: Pick<CreatedUpload, 'id' | 'files'>;
  /** How many files' contents were sent. */
  sent: number;
  /** See `Scan.saveIndex`. */
  saveIndex(): void;
}

/** A folder's files, and the project they are of. */
export interface Scanned {
  scan: Scan;
  project: string;
}

/** @throws SelectionError */
export async function scanToSend({ dir, env, clock, project: given }: PushOptions): Promise<Scanned> {
  const [scan, project] = await Promise.all([scanFolder(dir, { env, now: clock.now }), given ?? projectOf(dir, env)]);
  if (scan.files.length === 0) throw new SelectionError(`${dir} has no files to send`);
  return { scan, project };
}

/**
 * Uploads a folder, sending only contents that the service does not have.
 *
 * If a file changes during the upload, the folder is scanned again, a few times.
 *
 * @param scanned of this folder, just now, its warnings given; default: it is scanned
 * @throws SelectionError, CidermillError
 */
export async function pushFolder(client: BuildClient, options: PushOptions, scanned?: Scanned): Promise<Pushed> {
  let next = scanned;
  for (let attempt = 1; ; attempt++) {
    const { scan, project } = next ?? (await scanToSend(options));
    next = undefined;
    if (attempt === 1 && !scanned) for (const warning of scan.warnings) options.onWarning?.(warning);
    try {
      return await push(client, scan, project, options);
    } catch (error) {
      const isStale = error instanceof FileChanged || isLostUpload(error);
      if (!isStale) throw error;
      if (attempt < ATTEMPTS) continue;
      throw error instanceof FileChanged
        ? new SelectionError(`${error.message}, at each of ${ATTEMPTS} attempts`)
        : error;
    }
  }
}

async function push(client: BuildClient, scan: Scan, project: string, options: PushOptions): Promise<Pushed> {
  const compression = compressionFor(client.baseUrl);
  const changed = await createOnBase(client, scan, project, options);
  const upload = changed ?? (await create(client, packManifest({ project }, scan.files, compression), options));
  const signal = options.signal ? { signal: options.signal } : {};
  const more = upload.missing_next ? await missingOf(client, upload.id, signal, upload.missing_next) : [];
  const missing = [...upload.missing, ...more];
  if (missing.length > 0) {
    if (upload.missing_bytes > LONG_UPLOAD_BYTES) scan.saveIndex();
    let sent = 0;
    options.onProgress?.(0, upload.missing_bytes);
    await sendBlobs(client, upload.id, scan, missing, {
      compression,
      clock: options.clock,
      signal: options.signal,
      onWait: options.onWait,
      onSent: (bytes) => {
        sent += bytes;
        options.onProgress?.(sent, upload.missing_bytes);
      },
    });
  }
  const isBase = changed !== null && scan.since?.files.length === 0;
  const known = { id: upload.id, project, service: client.baseUrl };
  return { upload, sent: missing.length, saveIndex: () => scan.saveIndex(isBase ? undefined : known) };
}

function create(client: BuildClient, manifest: Uint8Array, { signal }: PushOptions) {
  return client.uploads.create(manifest, {
    ...(signal ? { signal } : {}),
    retry: { attemptsWhenLimited: ATTEMPTS_WHEN_LIMITED },
  });
}

/** The base is gone or incomplete, or the service is older than this way of asking: it needs the whole manifest. */
const NEEDS_ALL = new Set(['upload_not_found', 'invalid_manifest']);

/** Creates the upload from what differs from an earlier one; null when the whole manifest has to be sent. */
async function createOnBase(
  client: BuildClient,
  { since, files }: Scan,
  project: string,
  options: PushOptions,
): Promise<CreatedUpload | null> {
  if (since === null || since.files.length > MOST_CHANGES) return null;
  const { id: base, ...of } = since.upload;
  if (of.project !== project || of.service !== client.baseUrl) return null;
  const manifest = packManifest({ project, base }, since.files, compressionFor(client.baseUrl));
  try {
    const upload = await create(client, manifest, options);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return upload.files === files.length && upload.total_bytes === bytes ? upload : null;
  } catch (error) {
    if (error instanceof CidermillError && NEEDS_ALL.has(error.code)) return null;
    throw error;
  }
}

/** The upload expired while contents were sent: the manifest must be sent again. */
const isLostUpload = (error: unknown) =>
  error instanceof CidermillError &&
  (error.code === 'upload_not_found' || error.code === 'blob_not_in_manifest' || error.code === 'invalid_blob');
