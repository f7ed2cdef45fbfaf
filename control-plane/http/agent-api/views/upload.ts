// An upload as its owner sees it.
import { z } from 'zod';
import type { Uploads } from '../../../app/uploads.js';
import type { Upload } from '../../../domain/upload.js';

const fields = {
  id: z.string(),
  project: z.string(),
  files: z.int().min(0),
  total_bytes: z.int().min(0),
};
const missing = z.array(z.string()).meta({ description: 'SHA-256 of the contents still to be sent' });

/** POST /uploads. */
export const createdUploadShape = z
  .object({ ...fields, missing, missing_bytes: z.int().min(0) })
  .meta({ id: 'CreatedUpload' });

/** GET /uploads/{id}. */
export const uploadStatusShape = z
  .object({ ...fields, missing, ready: z.boolean() })
  .meta({ id: 'UploadStatus' });

/** POST /uploads/tar. */
export const tarUploadShape = z
  .object({ upload_id: z.string(), ...fields, ready: z.boolean() })
  .meta({ id: 'TarUpload' });

const view = ({ uploadId, project, files, totalBytes }: Upload) => ({
  id: uploadId,
  project,
  files,
  total_bytes: totalBytes,
});

export function createdUploadView(
  created: Awaited<ReturnType<Uploads['create']>>,
): z.infer<typeof createdUploadShape> {
  return { ...view(created.upload), missing: [...created.missing], missing_bytes: created.missingBytes };
}

export function uploadStatusView(
  status: Awaited<ReturnType<Uploads['status']>>,
): z.infer<typeof uploadStatusShape> {
  return { ...view(status.upload), missing: [...status.missing], ready: status.upload.ready };
}

export function tarUploadView(upload: Upload): z.infer<typeof tarUploadShape> {
  return { upload_id: upload.uploadId, ...view(upload), ready: upload.ready };
}
