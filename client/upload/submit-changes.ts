// The common case of a build after an edit: the service has the folder's last upload, and a few small files differ. Their
// contents go with the build, in one request instead of three.
import { MOST_CHANGES } from '../../shared/manifest-base.js';
import { CidermillError } from '../cidermill-error.js';
import type { Scan } from '../files/scan.js';
import type { BuildRequest, CreatedBuild } from '../types.js';

/** In base64 they fit into a body of JSON beside the longest script. */
const MOST_BYTES = 256 * 1024;

const NEEDS_UPLOAD = new Set([
  'upload_not_found',
  'upload_incomplete',
  'payload_too_large',
  // The service is older than `changes`.
  'invalid_build',
  // Other uploads use up the limit of the account: an upload waits for them, and can be stopped meanwhile.
  'rate_limited',
]);

/** Returns whether the folder has to be uploaded after this error, instead of the same request being repeated. */
export const needsUpload = ({ code }: CidermillError): boolean => NEEDS_UPLOAD.has(code);

export interface SubmittedChanges {
  build: CreatedBuild;
  /** The upload that the build has. */
  uploadId: string;
  /** How many files' contents were sent. */
  sent: number;
}

/**
 * Submits the build of a folder as changes of its last upload. Returns null when the folder has to be uploaded first.
 *
 * @throws CidermillError
 */
export async function submitChanges(
  { since }: Scan,
  of: { project: string; service: string },
  request: Partial<BuildRequest>,
  create: (complete: Partial<BuildRequest>) => Promise<CreatedBuild>,
): Promise<SubmittedChanges | null> {
  if (since === null || since.upload.project !== of.project || since.upload.service !== of.service) return null;
  const { files } = since;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MOST_CHANGES || bytes > MOST_BYTES) return null;
  const changes: BuildRequest['changes'] = [];
  for (const { path, content, mode } of files) {
    if (content === null) return null;
    changes.push({ path, content_base64: content.toString('base64'), mode });
  }
  const complete = { ...request, upload_id: since.upload.id, ...(changes.length > 0 ? { changes } : {}) };
  try {
    const build = await create(complete);
    return { build, uploadId: build.upload_id ?? since.upload.id, sent: files.length };
  } catch (error) {
    if (error instanceof CidermillError && needsUpload(error)) return null;
    throw error;
  }
}
