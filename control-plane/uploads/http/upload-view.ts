// An upload as shown to its owner.
import { z } from 'zod';
import { MOST_CHANGES } from '../../../shared/manifest-base.js';
import { sourceFile } from '../../../shared/protocol/index.js';
import { count } from '../../platform/http/values.js';
import type { Uploads } from '../app/uploads.js';
import type { Upload } from '../domain/upload.js';

const manifestFile = sourceFile
  .extend({
    path: sourceFile.shape.path.meta({ description: 'Relative, parts separated by `/`, NFC' }),
    sha256: sourceFile.shape.sha256.meta({
      title: 'SHA-256 of the content, 64 lower-case hexadecimal digits',
    }),
    mode: sourceFile.shape.mode.optional().meta({ description: '420 (rw-r--r--, the default) or 493 (rwxr-xr-x)' }),
  })
  .meta({ id: 'ManifestFile' });

/** The body of POST /uploads after decompression. */
export const uploadManifestShape = z
  .object({
    project: z
      .string()
      .regex(/^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/)
      .meta({ title: '1 to 64 letters, digits, underscores, dots and hyphens; not `.` or `..`' }),
    base: z
      .string()
      .optional()
      .meta({ title: `Complete upload of the same paths; \`files\` is what differs, at most ${MOST_CHANGES}` }),
    files: z.array(manifestFile),
  })
  .refine(({ base, files }) => (base === undefined ? files.length > 0 : files.length <= MOST_CHANGES))
  .meta({ id: 'UploadManifest', title: 'The files of a folder with their hashes' });

const fields = {
  id: z.string(),
  project: z.string(),
  files: count.meta({ title: 'How many' }),
  total_bytes: count,
};
const missing = {
  missing: z.array(z.string()).meta({ description: 'SHA-256 of missing contents; one page' }),
  missing_next: z.string().nullable().meta({ description: '`missing_after` of the next page; null on the last' }),
};

/** POST /uploads. */
export const createdUploadShape = z.object({ ...fields, ...missing, missing_bytes: count }).meta({
  id: 'CreatedUpload',
  title: 'An upload, and its contents that the service does not have',
});

/** GET /uploads/{id}. */
export const uploadStatusShape = z
  .object({
    ...fields,
    ...missing,
    ready: z.boolean().meta({ description: 'Nothing is missing' }),
  })
  .meta({ id: 'UploadStatus', title: 'Progress of an upload' });

/** POST /uploads/tar. */
export const tarUploadShape = z
  .object({ upload_id: z.string().meta({ description: 'Same as `id`' }), ...fields, ready: z.boolean() })
  .meta({ id: 'TarUpload', title: 'A folder uploaded as one archive' });

const view = ({ uploadId, project, files, totalBytes }: Upload) => ({
  id: uploadId,
  project,
  files,
  total_bytes: totalBytes,
});

export function createdUploadView(created: Awaited<ReturnType<Uploads['create']>>): z.infer<typeof createdUploadShape> {
  return {
    ...view(created.upload),
    missing: [...created.missing],
    missing_next: created.missingNext,
    missing_bytes: created.missingBytes,
  };
}

export function uploadStatusView(status: Awaited<ReturnType<Uploads['status']>>): z.infer<typeof uploadStatusShape> {
  return {
    ...view(status.upload),
    missing: [...status.missing],
    missing_next: status.missingNext,
    ready: status.upload.ready,
  };
}

export function tarUploadView(upload: Upload): z.infer<typeof tarUploadShape> {
  return { upload_id: upload.uploadId, ...view(upload), ready: upload.ready };
}
