// From POST /builds to the first line of the build on an idle Mac, read by a long poll on the log; the peer is the
// bare round trip of an authenticated GET on the same connection.
import { Agent, request } from 'undici';
import { median, print, ratio } from './report.js';
import { startService } from './service.js';

const rounds = 20;
const service = await startService();
const agent = new Agent({ pipelining: 1 });
const headers = { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' };
const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
  const answer = await request(`${service.base_url}${path}`, {
    method,
    headers,
    dispatcher: agent,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await answer.body.json()) as Record<string, unknown>;
  if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
};
const upload = async () => {
  const { gzipSync } = await import('node:zlib');
  const { createHash } = await import('node:crypto');
  const bytes = Buffer.from('hello\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const send = async (path: string, body: Buffer) => {
    const answer = await fetch(`${service.base_url}${path}`, {
      method: 'POST',
      headers: { authorization: headers.authorization, 'content-type': 'application/gzip' },
      body: new Uint8Array(gzipSync(body)),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { id: string };
  };
  const manifest = { project: 'bench', files: [{ path: 'a.txt', sha256, size: bytes.length, mode: 420 }] };
  const { id } = await send('/uploads', Buffer.from(JSON.stringify(manifest)));
  await send(`/uploads/${id}/blobs`, Buffer.concat([Buffer.from(`${sha256} ${bytes.length}\n`), bytes]));
  return id;
};
const uploadId = await upload();

const firstLine = async () => {
  const started = process.hrtime.bigint();
  const build = await call('POST', '/builds', { script: 'echo first-line', upload_id: uploadId });
  let offset = 0;
  for (;;) {
    const segment = await call('GET', `/builds/${build.id}/log?offset=${offset}&wait=30`);
    if (String(segment.data).includes('first-line')) break;
    if (segment.eof) throw new Error('the log ended without its line');
    offset = Number(segment.next_offset);
  }
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  await call('GET', `/builds/${build.id}/wait?timeout=60`);
  return ms;
};
const roundTrip = async () => {
  const started = process.hrtime.bigint();
  await call('GET', '/queue');
  return Number(process.hrtime.bigint() - started) / 1e6;
};

const lines: number[] = [];
const trips: number[] = [];
try {
  for (let i = 0; i < 5; i++) await firstLine();
  for (let i = 0; i < rounds; i++) {
    lines.push(await firstLine());
    trips.push(await roundTrip());
    // The warm build process needs time to boot again, as between two builds of a person.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
} finally {
  await service.stop();
  await agent.close();
}
const base = median(trips);
print('POST /builds to first line, idle Mac', [
  { name: 'first line', value: median(lines), unit: 'ms', ratio: ratio(median(lines), base) },
  { name: 'authenticated GET', value: base, unit: 'ms', ratio: 1 },
]);
