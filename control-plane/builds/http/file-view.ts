// A file of a workspace: an uploaded folder or an artifact of a build.

import { posix } from 'node:path';
import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { plainName } from '../../../shared/paths/artifact-name.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { issueBecause } from '../../platform/http/issue-problem.js';
import { count, time } from '../../platform/http/values.js';
import type { Position } from '../app/files.js';
import type { WorkspaceFile } from '../domain/file.js';

export const fileKind = enumeration(['upload', 'artifact'], {
  id: 'FileKind',
  plain: true,
  meanings: { upload: 'a folder that was sent', artifact: 'what a build left behind' },
});

export const fileShape = z
  .object({
    id: z.string(),
    kind: fileKind,
    name: z.string(),
    path: z.string().nullable().meta({ description: 'Of an artifact, relative. With `/` between its parts.' }),
    bytes: count,
    size: count,
    sha256: z.string().nullable().meta({ title: 'Null for an upload' }),
    executable: z.boolean().meta({ description: 'Saved with mode 755 instead of 644' }),
    job_id: z.string().nullable().meta({ title: 'The build of an artifact' }),
    created_at: time,
    expires_at: time.nullable(),
    in_use: z.boolean().meta({ description: 'An unfinished build uses the file' }),
    download_url: z.string().nullable().meta({ description: 'Path that answers an ArtifactAddress' }),
  })
  .meta({ id: 'WorkspaceFile', title: 'An uploaded folder, or an artifact of a build' });

/** @param root base path of the console's API, e.g. `/api/runner` */
export function fileView(file: WorkspaceFile, root: string): z.infer<typeof fileShape> {
  const { fileId, kind, bytes, sha256, executable, buildId, createdAt, expiresAt, inUse } = file;
  // Older names may not follow today's rules.
  const name = kind === 'artifact' ? plainName(file.name) : file.name;
  return {
    id: fileId,
    kind,
    name: kind === 'artifact' ? posix.basename(name) : name,
    path: kind === 'artifact' ? name : null,
    bytes,
    size: bytes,
    sha256,
    executable,
    job_id: buildId,
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
    in_use: inUse,
    download_url: buildId === null ? null : `${root}/v1/jobs/${buildId}/artifacts/${fileId}`,
  };
}

export function toFileCursor({ createdAt, fileId }: Position): string {
  return Buffer.from(`${createdAt} ${fileId}`).toString('base64url');
}

export const fileCursor = z
  .string()
  .transform((text, context): Position => {
    const [, createdAt, fileId = ''] = /^(\d{1,15}) (\w+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
    if (createdAt === undefined) context.addIssue(issueBecause(fieldProblem('not_a_cursor')));
    return { createdAt: Number(createdAt), fileId };
  })
  .meta({ title: '`next_cursor` of the previous page' });
