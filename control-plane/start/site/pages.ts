// The console pages: sign-in, first owner, payment. They are static files, and load all data of a person or
// an account through the API.

import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isErrno } from '../../../shared/errno.js';
import { ApiError } from '../../platform/domain/error-catalog.js';

export interface PagesOptions {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  /** The pay page opens PortOne's window, and may load what that window needs. */
  readonly paymentWindow: boolean;
}

// The compiled file is four folders below the package root. Pages and styles are shipped unchanged.
const files = new URL('../../../../control-plane/console/', import.meta.url);
const scripts = new URL('../../console/', import.meta.url);

const ASSET = /^[a-z][a-z-]*\.(?:css|js)$/;

export function mountPages(server: FastifyInstance, { siteUrl, paymentWindow }: PagesOptions): void {
  const https = siteUrl.startsWith('https:');
  const read = createReader();
  const page = (name: string, policy: string, referrer = 'no-referrer') => {
    const headers = {
      'content-security-policy': policy,
      'referrer-policy': referrer,
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self)',
      ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    };
    return async (_request: unknown, reply: FastifyReply) =>
      reply
        .headers(headers)
        .type('text/html; charset=utf-8')
        .send(await read(new URL(`${name}.html`, files)));
  };

  server.get('/', (_request, reply) => reply.redirect('/sign-in'));
  server.get('/sign-in', page('sign-in', own));
  server.get('/first-owner', page('first-owner', own));
  server.get(
    '/pay/:order_no',
    paymentWindow ? page('pay', withPaymentWindow, 'strict-origin-when-cross-origin') : page('pay', own),
  );
  server.get<{ Params: { file: string } }>('/console/:file', async (request, reply) => {
    const { file } = request.params;
    if (!ASSET.test(file)) throw new ApiError('not_found');
    const isScript = file.endsWith('.js');
    const bytes = await read(new URL(file, isScript ? scripts : files));
    reply.type(isScript ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8');
    return reply.send(bytes);
  });
}

const policyOf = (directives: Readonly<Record<string, string>>) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

const strict = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': 'data:',
  'connect-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};
const own = policyOf(strict);

// PortOne's script adds inline styles for its frame, and opens the site of the provider that the payer selects.
const withPaymentWindow = policyOf({
  ...strict,
  'script-src': "'self' https://cdn.portone.io",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': 'data: https:',
  'connect-src': "'self' https://*.portone.io",
  'frame-src': 'https:',
  'form-action': "'self' https:",
});

/** Reads each file once: they do not change while the service runs. */
function createReader() {
  const kept = new Map<string, Promise<Buffer>>();
  return (url: URL): Promise<Buffer> => {
    const known = kept.get(url.href);
    if (known) return known;
    const reading = readFile(url).catch((error: unknown) => {
      kept.delete(url.href);
      throw isErrno(error, 'ENOENT') ? new ApiError('not_found', { cause: error }) : error;
    });
    kept.set(url.href, reading);
    return reading;
  };
}
