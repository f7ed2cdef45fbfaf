// The pay page: static files, which load the order through the API.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { createFileReader } from './file-reader.js';
import type { PagesOptions } from './pages.js';
import { consolePolicy, payPolicy } from './policies.js';

// The compiled file is four folders below the package root. Pages and styles are shipped unchanged.
const files = new URL('../../../../control-plane/console/pay/', import.meta.url);
const scripts = new URL('../../console/pay/', import.meta.url);

const ASSET = /^[a-z][a-z-]*\.(?:css|js)$/;

export function mountPayPage(server: FastifyInstance, { siteUrl, paymentWindow }: PagesOptions): void {
  const read = createFileReader();
  const policyOf = paymentWindow ? payPolicy : consolePolicy;
  const headers = {
    'referrer-policy': paymentWindow ? 'strict-origin-when-cross-origin' : 'no-referrer',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self)',
    ...(siteUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  server.get('/pay/:order_no', async (_request: unknown, reply: FastifyReply) =>
    reply
      .headers({ ...headers, 'content-security-policy': policyOf(randomBytes(18).toString('base64')) })
      .type('text/html; charset=utf-8')
      .send(await read(new URL('pay.html', files))),
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
