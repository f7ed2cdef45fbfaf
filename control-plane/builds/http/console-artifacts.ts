// GET /v1/jobs/:job_id/artifacts/:file_id, the signed address that it returns, and several artifacts in one response.
import { posix } from 'node:path';
import { z } from 'zod';
import type { Ticket } from '../../platform/app/tickets.js';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { rangedAnswer } from '../../platform/http/byte-range.js';
import { prefersRedirect } from '../../platform/http/prefers-redirect.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Download } from '../app/artifacts.js';
import type { Files } from '../app/files.js';

export interface ArtifactRoutesDeps {
  readonly files: Files;
  readonly limits: Pick<Limits, 'artifacts_per_request'>;
  /** Without a trailing slash. */
  readonly siteUrl: string;
}

export const artifactAddress = z.object({ url: z.string(), expires_at: time }).meta({
  id: 'ArtifactAddress',
  description: 'Can be fetched without a key until `expires_at`',
});

export const artifactAddressView = ({ ticket, expiresAt }: Ticket, siteUrl: string) => ({
  url: `${siteUrl}${CONSOLE_ROOT}/v1/downloads/${ticket}`,
  expires_at: new Date(expiresAt).toISOString(),
});

const OCTETS = 'application/octet-stream';

export function createArtifactRoutes({ files, limits, siteUrl }: ArtifactRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/jobs/:job_id/artifacts/:file_id',
      operationId: 'getArtifact',
      level: 'read',
      inApiReference: true,
      sessionScope: 'file',
      summary: 'A short-lived address of an artifact. No key is needed to fetch it.',
      params: z.object({ job_id: z.string(), file_id: z.string() }),
      responses: {
        200: artifactAddress,
      },
      errors: ['not_found'],
      async handle({ caller, params }) {
        const ticket = await files.ticket(caller, params.job_id, params.file_id);
        return { status: 200, body: artifactAddressView(ticket, siteUrl) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/jobs/:job_id/artifacts/contents',
      operationId: 'getArtifactContents',
      level: 'read',
      inApiReference: true,
      action: null,
      beyondRecordsLimit: 'reads',
      summary: 'Artifacts, each as `<file_id> <size>\\n<bytes>` or `<file_id> gone\\n`',
      params: z.object({ job_id: z.string() }),
      body: z.object({
        file_ids: z.array(z.string().regex(/^\w+$/)).min(1).max(limits.artifacts_per_request),
      }),
      responses: { 200: OCTETS },
      errors: ['not_found', 'uploads_unavailable'],
      async handle({ caller, params, body }) {
        return {
          status: 200,
          type: OCTETS,
          body: await files.contents(caller, params.job_id, body.file_ids),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/downloads/:ticket',
      operationId: 'downloadArtifact',
      level: null,
      inApiReference: true,
      summary: 'The bytes of an artifact',
      params: z.object({ ticket: z.string() }),
      responses: { 200: OCTETS, 206: OCTETS, 302: null, 416: null },
      errors: ['not_found', 'uploads_unavailable'],
      async handle({ params, headers }) {
        const download = await files.download(params.ticket);
        const disposition = attachment(posix.basename(download.name));
        const address = prefersRedirect(headers) ? download.address({ disposition, type: OCTETS }) : null;
        if (address !== null) {
          return { status: 302, headers: { location: address, 'cache-control': 'no-store' }, body: null };
        }
        return sendDownload(download, disposition, headers);
      },
    }),
  ];
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

async function sendDownload(download: Download, disposition: string, headers: Headers): Promise<RouteReply> {
  const { bytes, sha256: tag } = download;
  const answer = rangedAnswer(headers, { bytes, tag });
  return {
    status: answer.status,
    type: OCTETS,
    headers: {
      ...answer.headers,
      'content-disposition': disposition,
      // Artifacts are untrusted: a browser must neither run them nor guess their type.
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: answer.status === 416 ? null : await download.read(answer.part),
  };
}

/** Returns both forms of RFC 6266: an ASCII name for old clients, and the exact one. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
