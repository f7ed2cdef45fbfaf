// The style sheet of pages that the service renders itself.
import type { FastifyInstance } from 'fastify';
import { createFileReader } from './file-reader.js';

// The compiled file is four folders below the package root. The style sheet is shipped unchanged.
const file = new URL('../../../../control-plane/start/site/rendered.css', import.meta.url);

export function mountRenderedStyle(server: FastifyInstance): void {
  const read = createFileReader();
  server.get('/console/style.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(await read(file)),
  );
}
