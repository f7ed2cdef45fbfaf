// Public documents: agent-start.md, llms.txt, and the pages of the error codes.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Limits } from '../../platform/domain/limits.js';
import { publicStart } from '../http/start-document.js';
import type { Document, ErrorPages } from './error-page.js';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
// The pages contain no script and load nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

export interface DocumentsDeps {
  readonly siteUrl: string;
  readonly errorPages: ErrorPages;
  readonly limits: Limits;
}

export function mountDocuments(server: FastifyInstance, { siteUrl, errorPages, limits }: DocumentsDeps): void {
  server.get('/agent-start.md', async (_request, reply) => reply.type(MARKDOWN).send(publicStart(siteUrl, limits)));
  server.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llmsText(siteUrl)));
  server.get('/docs/errors', async (request, reply) => send(reply, errorPages.index(), wantsMarkdown(request)));
  server.get('/docs/errors.md', async (_request, reply) => send(reply, errorPages.index(), true));
  server.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const asFile = code.endsWith('.md');
    const page = errorPages.page(asFile ? code.slice(0, -3) : code);
    if (page === null) reply.code(404);
    return send(reply, page ?? errorPages.missing(), asFile || wantsMarkdown(request));
  });
}

function send(reply: FastifyReply, { html, markdown }: Document, asMarkdown: boolean): FastifyReply {
  reply.header('vary', 'Accept');
  if (asMarkdown) return reply.type(MARKDOWN).send(markdown);
  return reply.type(HTML).header('content-security-policy', POLICY).send(html);
}

/** Browsers accept text/html explicitly. Programs accept anything or Markdown, or send no Accept header. */
function wantsMarkdown({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('text/markdown') || !(types.includes('text/html') || types.includes('application/xhtml+xml'));
}

/** Returns llms.txt in the format of llmstxt.org: a title, a summary, links. */
function llmsText(siteUrl: string): string {
  return `# Cidermill

> Rents dedicated Macs in 24-hour passes and runs builds on them, over an HTTP API made for programs. A person pays and
> creates keys; a program can do everything else.

Begin with the start document. With a key, \`GET ${siteUrl}/api/v1/agent/start\` adds the state of its account and what to do next.
Agents that speak MCP use the server of the command line: \`cidermill mcp\`.

## Documents

- [Start](${siteUrl}/agent-start.md): authentication, a first build and a partial upload by curl, logs, renting, the waitlist, secrets, MCP set-up
- [Reference](${siteUrl}/api/v1/openapi.json): OpenAPI 3.1 of the API; with ?form=full for code generators
- [Error codes](${siteUrl}/docs/errors.md): every code, who has to act, and what to do about it

## Optional

- [Reference of the console's API](${siteUrl}/api/runner/openapi.json): console, files, artifacts, top-ups
`;
}
