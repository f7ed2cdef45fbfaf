// /packages/NAME and /install/…: packages and their installers. They need no login, because they hold no secrets.
import { open } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../../platform/app/core.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { rangedAnswer } from '../../platform/http/byte-range.js';
import type { RateLimits } from '../../platform/http/rate-limit.js';
import { type PackageFile, type Packages, PUBLIC_KEY, SIGNATURE, SUMS } from '../app/packages.js';
import { mountInstallers, NO_PACKAGES } from './installers.js';

export interface PackageRoutesDeps extends Pick<Core, 'limits'> {
  readonly rateLimits: RateLimits;
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly packages: Packages;
  clientIp(request: FastifyRequest): string;
}

const NOT_SIGNED = 'The packages of this service are not signed: they were not made with `npm run package`.\n';
const TEXT = 'text/plain; charset=utf-8';

export function mountPackages(server: FastifyInstance, deps: PackageRoutesDeps): void {
  const { packages, limits } = deps;
  const rate = deps.rateLimits({ kind: 'packages', perMinute: limits.package_requests_per_minute });
  server.register(async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      const taken = await rate.take(clientBlock(deps.clientIp(request)));
      if (taken.ok) return;
      reply.code(429).header('retry-after', taken.retryAfterS).type(TEXT);
      return reply.send(`Too many requests from this address. Try again in ${taken.retryAfterS} s.\n`);
    });
    mountInstallers(app, deps);
    app.get(`/packages/${SUMS}`, async (_request, reply) => {
      const signed = await packages.signed();
      if (signed !== null) return reply.type(TEXT).send(signed.sums);
      const lines = (await packages.all()).map(({ sha256, name }) => `${sha256}  ${name}\n`);
      return reply.type(TEXT).send(lines.join(''));
    });
    app.get(`/packages/${SIGNATURE}`, async (_request, reply) => {
      const signed = await packages.signed();
      if (signed === null) return reply.code(404).type(TEXT).send(NOT_SIGNED);
      return reply.type(TEXT).send(signed.signature);
    });
    app.get(`/packages/${PUBLIC_KEY}`, async (_request, reply) => {
      const signed = await packages.signed();
      if (signed === null) return reply.code(404).type(TEXT).send(NOT_SIGNED);
      return reply.type(TEXT).send(`untrusted comment: minisign public key\n${signed.key}\n`);
    });
    app.get<{ Params: { name: string } }>('/packages/:name', async (request, reply) => {
      const found = await packages.find(request.params.name);
      if (found === null) return sendMissing(reply, await packages.all());
      return sendPackage(request, reply, found);
    });
  });
}

function sendMissing(reply: FastifyReply, there: readonly PackageFile[]): FastifyReply {
  const names = there.map(({ name }) => `  ${name}\n`).join('');
  const text = there.length === 0 ? `${NO_PACKAGES}\n` : `No such package. There are:\n${names}`;
  return reply.code(404).type(TEXT).send(text);
}

async function sendPackage(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, name, bytes, sha256 }: PackageFile,
): Promise<FastifyReply> {
  const { status, headers, part } = rangedAnswer(request.headers, { bytes, tag: sha256 });
  reply.code(status).headers(headers);
  if (status === 416) return reply.send();
  reply.headers({ 'content-type': 'application/gzip', 'content-disposition': `attachment; filename="${name}"` });
  if (request.method === 'HEAD') return reply.send();
  const handle = await open(file);
  return reply.send(handle.createReadStream({ start: part.start, end: part.end - 1 }));
}
