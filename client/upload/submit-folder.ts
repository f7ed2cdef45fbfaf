// Builds a folder: uploads it, then submits the build.

import type { BuildClient } from '../build-client.js';
import { CidermillError } from '../cidermill-error.js';
import type { CallOptions } from '../http/exchange.js';
import type { BuildRequest, CreatedBuild } from '../types.js';
import { type Pushed, type PushOptions, pushFolder, type Scanned, scanToSend } from './push-folder.js';
import { needsUpload, submitChanges } from './submit-changes.js';

/** How often a folder is uploaded again because the service lost contents in between. */
const SUBMIT_ATTEMPTS = 3;

const repeats = ({ retryable, code }: CidermillError) => retryable && code !== 'upload_incomplete';
const repeatsQuick = (error: CidermillError) => error.retryable && !needsUpload(error);

export interface SubmitOptions extends PushOptions {
  /** Submits the build. `upload_incomplete` must not be retried as it is; the options say so. */
  create(request: Partial<BuildRequest>, options: CallOptions): Promise<CreatedBuild>;
  /** The folder as it was scanned just now, its warnings given. Default: it is scanned. */
  scanned?: Scanned;
  /** False: never in one request, e.g. because `create` has one idempotency key for requests that must be equal. */
  inOneRequest?: boolean;
}

/**
 * Uploads a folder and submits a build of it, after an edit in one request; contents that the service lost in between are sent again, a few times.
 *
 * @throws SelectionError, CidermillError
 */
export async function submitFolder(
  client: BuildClient,
  request: Partial<BuildRequest>,
  options: SubmitOptions,
): Promise<{ build: CreatedBuild; pushed: Pushed }> {
  const scanned = options.scanned ?? (await scanToSend(options));
  if (!options.scanned) for (const warning of scanned.scan.warnings) options.onWarning?.(warning);
  const quick = options.inOneRequest === false ? null : await submitQuickly(client, scanned, request, options);
  if (quick !== null) return quick;
  for (let attempt = 1; ; attempt++) {
    const pushed = await pushFolder(client, options, attempt === 1 ? scanned : undefined);
    options.signal?.throwIfAborted();
    try {
      const complete = { ...request, upload_id: pushed.upload.id };
      return { build: await options.create(complete, { retry: { repeats } }), pushed };
    } catch (error) {
      const incomplete = error instanceof CidermillError && error.code === 'upload_incomplete';
      if (!incomplete || attempt >= SUBMIT_ATTEMPTS) throw error;
    }
  }
}

/** Returns null when the folder has to be uploaded first. */
async function submitQuickly(
  client: BuildClient,
  { scan, project }: Scanned,
  request: Partial<BuildRequest>,
  options: SubmitOptions,
): Promise<{ build: CreatedBuild; pushed: Pushed } | null> {
  options.signal?.throwIfAborted();
  const of = { project, service: client.baseUrl };
  const submitted = await submitChanges(scan, of, request, (complete) =>
    options.create(complete, { retry: { repeats: repeatsQuick } }),
  );
  if (submitted === null) return null;
  const { build, uploadId: id, sent } = submitted;
  const known = sent === 0 ? undefined : { id, ...of };
  return { build, pushed: { upload: { id, files: scan.files.length }, sent, saveIndex: () => scan.saveIndex(known) } };
}
