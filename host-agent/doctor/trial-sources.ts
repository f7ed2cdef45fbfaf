// The sources of a trial's builds, served on this machine over the same requests as the control plane's, so that the
// trial needs no service.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { SourceManifest } from '../../shared/protocol/index.js';

export interface TrialSources {
  /** Address and credential for the build process. */
  readonly link: { siteUrl: string; credential: string };
  /** Replaces the files of the next build; returns the hash and size of the upload. */
  put(files: Readonly<Record<string, string>>): {
    manifest_sha256: string;
    files: number;
    total_bytes: number;
  };
  close(): Promise<void>;
}

const wanted = z.object({ sha256: z.array(z.string()) });

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

/** @example const sources = await serveTrialSources(); sources.put({ 'a.txt': 'one\n' }); */
export async function serveTrialSources(): Promise<TrialSources> {
  const credential = randomBytes(24).toString('base64url');
  let manifest: SourceManifest = { files: [], links: [], directories: [] };
  const contents = new Map<string, string>();
  const server = createServer((request, answer) => {
    const refuse = (status: number) => answer.writeHead(status).end();
    if (request.headers.authorization !== `Bearer ${credential}`) return refuse(401);
    if (request.url && /\/manifest(?:\?|$)/.test(request.url)) return answer.end(JSON.stringify(manifest));
    if (!request.url?.endsWith('/blobs')) return refuse(404);
    text(request)
      .then((body) => {
        for (const hash of wanted.parse(JSON.parse(body)).sha256) {
          const content = contents.get(hash);
          if (content === undefined) answer.write(`${hash} gone\n`);
          else answer.write(`${hash} ${Buffer.byteLength(content)}\n${content}`);
        }
        answer.end();
      })
      .catch((error: unknown) => answer.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port to listen on');

  return {
    link: { siteUrl: `http://127.0.0.1:${address.port}`, credential },
    put(files) {
      contents.clear();
      const listed = Object.entries(files).map(([path, content]) => {
        const hash = sha256(content);
        contents.set(hash, content);
        const mode = path.endsWith('.sh') ? (0o755 as const) : (0o644 as const);
        return { path, sha256: hash, size: Buffer.byteLength(content), mode };
      });
      manifest = { files: listed, links: [], directories: [] };
      const total_bytes = listed.reduce((sum, { size }) => sum + size, 0);
      return { manifest_sha256: sha256(JSON.stringify(manifest)), files: listed.length, total_bytes };
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
