// A file of a workspace: an uploaded folder, or what a build left behind.
import { posix } from 'node:path';
import { z } from 'zod';
import type { WorkspaceFile } from '../../../domain/file.js';

export const fileShape = z
  .object({
    id: z.string(),
    kind: z.enum(['upload', 'artifact']),
    name: z.string(),
    path: z.string().nullable(),
    bytes: z.int().min(0),
    job_id: z.string().nullable(),
    created_at: z.string(),
    expires_at: z.string().nullable(),
    in_use: z.boolean(),
    download_url: z.string().nullable(),
  })
  .meta({ id: 'File' });

/** @param root where family B stands, e.g. `/api/runner` */
export function fileView(file: WorkspaceFile, root: string): z.infer<typeof fileShape> {
  const { fileId, kind, name, bytes, buildId, createdAt, expiresAt, inUse } = file;
  return {
    id: fileId,
    kind,
    name: kind === 'artifact' ? posix.basename(name) : name,
    path: kind === 'artifact' ? name : null,
    bytes,
    job_id: buildId,
    created_at: new Date(createdAt).toISOString(),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    in_use: inUse,
    download_url: buildId === null ? null : `${root}/v1/jobs/${buildId}/artifacts/${fileId}`,
  };
}
