// The process of the receiver: accepts and counts requests.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from './child.js';

let posts = 0;

function listen({ key, certificate }: { key: string; certificate: string }): Promise<number> {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, reply) => {
    posts++;
    request.resume().on('end', () => reply.end());
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

serve({ listen, posts: () => posts });
