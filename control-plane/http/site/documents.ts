// Public documents: agent-start.md, llms.txt, the pages of the error codes.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../domain/error-catalog.js';
import { publicStart } from '../start-document.js';
import { errorIndexPage, errorPage } from './error-page.js';

const HTML = 'text/html; charset=utf-8';
// The pages hold no script and load nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

export function mountDocuments(server: FastifyInstance, { siteUrl }: { siteUrl: string }): void {
  server.get('/agent-start.md', async (_request, reply) =>
    reply.type('text/markdown; charset=utf-8').send(publicStart(siteUrl)),
  );
  server.get('/llms.txt', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(siteUrl)),
  );
  server.get('/docs/errors', async (_request, reply) =>
    reply.type(HTML).header('content-security-policy', POLICY).send(errorIndexPage()),
  );
  server.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const page = errorPage(request.params.code);
    if (page === null) throw new ApiError('not_found');
    return reply.type(HTML).header('content-security-policy', POLICY).send(page);
  });
}

/** The convention of llmstxt.org: a title, a summary, links. */
function llmsText(siteUrl: string): string {
  return `# Cidermill

> Rents dedicated Macs in 24-hour passes and runs builds on them, over an HTTP API made for programs.

## Documents

- [Start](${siteUrl}/agent-start.md): authentication, the first request, how to build
- [Reference](${siteUrl}/api/v1/openapi.json): OpenAPI 3.1
- [Error codes](${siteUrl}/docs/errors): every code, and what to do about it
`;
}
