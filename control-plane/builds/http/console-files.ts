// GET /v1/files, DELETE /v1/files/:file_id.
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { Files } from '../app/files.js';
import { fileCursor, fileKind, fileShape, fileView, toFileCursor } from './file-view.js';

export interface FileRoutesDeps {
  readonly files: Files;
  readonly limits: Limits;
}

/** Base path of the console's API. */

export function createFileRoutes({ files, limits }: FileRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/files',
      operationId: 'listFiles',
      level: 'read',
      inApiReference: true,
      sessionScope: 'workspace',
      summary: 'Uploads and artifacts, newest first',
      query: z.object({
        workspace_id: z.string().optional(),
        kind: fileKind.optional(),
        job_id: z.string().optional().meta({ description: 'Only the artifacts of this build' }),
        limit: integerParam(1, limits.files_page_max).optional(),
        cursor: fileCursor.optional(),
      }),
      responses: {
        200: z
          .object({
            data: z.array(fileShape),
            next_cursor: z.string().nullable().meta({ title: '`cursor` of the next page; null on the last one' }),
            total_bytes: count.meta({ description: 'Of the files of the workspace' }),
          })
          .meta({ id: 'FilePage' }),
      },
      errors: ['not_found'],
      async handle({ caller, query }) {
        // A key belongs to one workspace and sees no other. A session names its workspace in the path.
        if (query.workspace_id !== undefined && query.workspace_id !== caller.workspaceId) {
          throw new ApiError('not_found');
        }
        const page = await files.list(caller, {
          kind: query.kind ?? null,
          buildId: query.job_id ?? null,
          after: query.cursor ?? null,
          limit: query.limit ?? limits.files_page_default,
        });
        return {
          status: 200,
          body: {
            data: page.files.map((file) => fileView(file, CONSOLE_ROOT)),
            next_cursor: page.next && toFileCursor(page.next),
            total_bytes: page.totalBytes,
          },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/files/:file_id',
      operationId: 'deleteFile',
      level: 'build',
      inApiReference: true,
      action: { name: 'file.delete', concerns: ['files', 'usage'] },
      sessionScope: 'file',
      summary: 'Delete an upload or artifact. An unfinished build must not use the upload.',
      params: z.object({ file_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found', 'file_in_use'],
      async handle({ caller, params, recordAction }) {
        await files.remove(caller, params.file_id, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
