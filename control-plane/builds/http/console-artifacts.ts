// GET /v1/jobs/:job_id/artifacts/:file_id, the signed address that it returns, and several artifacts in one response.
import { posix } from 'node:path';
import { z } from 'zod';
import type { Ticket } from '../../platform/app/tickets.js';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { byteRange } from '../../platform/http/byte-range.js';
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
      responses: { 200: OCTETS, 302: null },
      errors: ['not_found', 'uploads_unavailable'],
      async handle({ params, headers }) {
        const download = await files.download(params.ticket);
        const disposition = attachment(posix.basename(download.name));
        const address = bearsRedirect(headers) ? download.address({ disposition, type: OCTETS }) : null;
        if (address !== null) {
          return { status: 302, headers: { location: address, 'cache-control': 'no-store' }, body: null };
        }
        return sendDownload(download, disposition, headers);
      },
    }),
  ];
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A browser that goes to the address follows redirects; other clients say so by `Prefer: redirect`, because some store the redirect
 * as the file.
 */
const bearsRedirect = ({ prefer, 'sec-fetch-mode': mode }: Headers): boolean =>
  mode === 'navigate' || (typeof prefer === 'string' && /(?:^|,)\s*redirect\s*(?:,|$)/i.test(prefer));

async function sendDownload(download: Download, disposition: string, headers: Headers): Promise<RouteReply> {
  const { bytes, sha256 } = download;
  const etag = `"${sha256}"`;
  const { range: wanted, 'if-range': condition } = headers;
  const isSame = condition === undefined || condition === etag;
  const range = isSame && typeof wanted === 'string' ? byteRange(wanted, bytes) : null;
  // A server may ignore a range, and a client that asks for one beyond the end has another file in mind.
  const asked = range === 'unsatisfiable' ? null : range;
  const { start, end } = asked ?? { start: 0, end: bytes - 1 };
  return {
    status: asked === null ? 200 : 206,
    type: OCTETS,
    headers: {
      ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end}/${bytes}` }),
      'accept-ranges': 'bytes',
      etag,
      'content-length': String(end - start + 1),
      'content-disposition': disposition,
      // Artifacts are untrusted: a browser must neither run them nor guess their type.
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: await download.read(asked === null ? undefined : { start, end: end + 1 }),
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
