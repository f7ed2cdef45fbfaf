// POST and DELETE …/builds/:build_id/share, and what a browser with the link needs besides the API's routes of the build.
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { BuildSharing } from '../app/build-sharing.js';
import type { Files } from '../app/files.js';
import type { CodeHosts } from '../domain/source.js';
import { artifactAddress, artifactAddressView } from './console-artifacts.js';
import { fileCursor, fileShape, fileView, toFileCursor } from './file-view.js';

export interface ShareRoutesDeps {
  readonly sharing: BuildSharing;
  readonly files: Pick<Files, 'list' | 'ticket'>;
  readonly limits: Limits;
  readonly codeHosts: Pick<CodeHosts, 'default'>;
  /** Without a trailing slash. */
  readonly siteUrl: string;
}

const SHARED = '/v1/shared/:token';
const sharedBuild = z
  .object({
    build_id: z.string(),
    code_host: z.string().meta({ description: 'Root address of the host on which `repo` of a build lies' }),
    expires_at: time,
  })
  .meta({ id: 'SharedBuild' });

const withToken = z.object({ token: z.string() });

export function createShareRoutes(deps: ShareRoutesDeps): AnyRoute[] {
  return [...linkRoutes(deps), ...linkedRoutes(deps)];
}

function linkRoutes({ sharing, siteUrl }: ShareRoutesDeps): AnyRoute[] {
  const ofBuild = {
    path: '/v1/organizations/:org_id/builds/:build_id/share',
    consoleOnly: true,
    params: z.object({ org_id: z.string(), build_id: z.string() }),
  } as const;
  return [
    route({
      method: 'POST',
      ...ofBuild,
      operationId: 'shareBuild',
      level: 'read',
      action: { name: 'build.share', concerns: [] },
      summary: 'Create a link that shows a build to anybody who has the link, for a limited time',
      responses: { 201: z.object({ url: z.string(), expires_at: time }).meta({ id: 'BuildLink' }) },
      errors: ['build_not_found', 'secrets_unavailable'],
      async handle({ caller, params, recordAction }) {
        const { token, expiresAt } = await sharing.share(caller, params.build_id, recordAction());
        return {
          status: 201,
          body: { url: `${siteUrl}/shared/${token}`, expires_at: new Date(expiresAt).toISOString() },
        };
      },
    }),
    route({
      method: 'DELETE',
      ...ofBuild,
      operationId: 'unshareBuild',
      level: 'read',
      action: { name: 'build.unshare', concerns: [] },
      summary: 'Withdraw all links to a build',
      responses: { 204: null },
      errors: ['build_not_found'],
      async handle({ caller, params, recordAction }) {
        await sharing.withdraw(caller, params.build_id, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}

function linkedRoutes({ sharing, files, limits, siteUrl, codeHosts }: ShareRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: SHARED,
      operationId: 'getSharedBuild',
      level: null,
      summary: 'The build of a link',
      params: withToken,
      responses: { 200: sharedBuild },
      errors: ['not_found', 'organization_suspended'],
      async handle({ params, ip }) {
        const { buildId, expiresAt } = await sharing.open(params.token, ip);
        return {
          status: 200,
          body: { build_id: buildId, code_host: codeHosts.default, expires_at: new Date(expiresAt).toISOString() },
        };
      },
    }),
    route({
      method: 'GET',
      path: `${SHARED}/artifacts`,
      operationId: 'listSharedArtifacts',
      level: null,
      summary: 'The artifacts of the build of a link, newest first',
      params: withToken,
      query: z.object({
        limit: integerParam(1, limits.files_page_max).optional(),
        cursor: fileCursor.optional(),
      }),
      responses: {
        200: z.object({ data: z.array(fileShape), next_cursor: z.string().nullable() }).meta({ id: 'SharedArtifacts' }),
      },
      errors: ['not_found', 'organization_suspended'],
      async handle({ params, query, ip }) {
        const { caller, buildId } = await sharing.open(params.token, ip);
        const page = await files.list(caller, {
          kind: 'artifact',
          buildId,
          after: query.cursor ?? null,
          limit: query.limit ?? limits.files_page_default,
        });
        const root = `${CONSOLE_ROOT}/v1/shared/${params.token}/artifacts`;
        const data = page.files.map((file) => ({
          ...fileView(file, ''),
          download_url: `${root}/${file.fileId}`,
        }));
        return { status: 200, body: { data, next_cursor: page.next && toFileCursor(page.next) } };
      },
    }),
    route({
      method: 'GET',
      path: `${SHARED}/artifacts/:file_id`,
      operationId: 'getSharedArtifact',
      level: null,
      summary: 'An address from which an artifact of the build of a link can be fetched for a short time',
      params: withToken.extend({ file_id: z.string() }),
      responses: { 200: artifactAddress },
      errors: ['not_found', 'organization_suspended'],
      async handle({ params, ip }) {
        const { caller, buildId } = await sharing.open(params.token, ip);
        const ticket = await files.ticket(caller, buildId, params.file_id);
        return { status: 200, body: artifactAddressView(ticket, siteUrl) };
      },
    }),
  ];
}
