// Ranges of downloads answer the same wherever the bytes are: in the data folder, in a shared folder, in an object store.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import type { Config } from '../../control-plane/config.js';
import { API_ROOT } from '../../control-plane/platform/domain/addresses.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { startS3Server } from '../harness/s3-server.js';
import { sha256 } from '../harness/sha256.js';

interface Row {
  /** Of a content of `size` bytes. */
  readonly range: (size: number) => string;
  /** Null: the whole content; 'none': it cannot be satisfied. The end is exclusive. */
  readonly part: ((size: number) => readonly [number, number]) | null | 'none';
}

const ranges: readonly Row[] = [
  { range: () => 'bytes=0-', part: (size) => [0, size] },
  { range: () => 'bytes=0-0', part: () => [0, 1] },
  { range: () => 'bytes=1-3', part: () => [1, 4] },
  { range: (size) => `bytes=${size - 1}-`, part: (size) => [size - 1, size] },
  { range: (size) => `bytes=4-${size - 1}`, part: (size) => [4, size] },
  { range: (size) => `bytes=4-${size}`, part: (size) => [4, size] },
  { range: () => 'bytes=4-999999999999999', part: (size) => [4, size] },
  { range: () => 'bytes=-1', part: (size) => [size - 1, size] },
  { range: (size) => `bytes=-${size}`, part: (size) => [0, size] },
  { range: (size) => `bytes=-${size + 1}`, part: (size) => [0, size] },
  { range: (size) => `bytes=${size}-`, part: 'none' },
  { range: (size) => `bytes=${size}-${size + 5}`, part: 'none' },
  { range: () => 'bytes=999999999999999-', part: 'none' },
  { range: () => 'bytes=-0', part: 'none' },
  { range: () => 'bytes=3-1', part: null },
  { range: () => 'bytes=', part: null },
  { range: () => 'bytes=-', part: null },
  { range: () => 'bytes=a-b', part: null },
  { range: () => 'bytes=-1-2', part: null },
  { range: () => 'bytes=0-1,3-4', part: null },
  { range: () => 'lines=1-2', part: null },
  { range: () => 'bytes=9999999999999999-', part: null },
];

/** An empty content has no byte that a range could name. */
const rangesOfNothing: readonly Row[] = [
  { range: () => 'bytes=0-', part: 'none' },
  { range: () => 'bytes=0-0', part: 'none' },
  { range: () => 'bytes=-1', part: 'none' },
  { range: () => 'bytes=1-0', part: null },
];

const places: Readonly<Record<string, (t: Test) => Promise<Config['objects']>>> = {
  'the data folder': async () => null,
  'a shared folder': async (t) => ({ kind: 'folder', path: t.testdir() }),
  'an object store': async (t) => {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = await startS3Server(t);
    const key = { region, accessKeyId, secretAccessKey, sessionToken };
    return { kind: 's3', bucket, prefix: '', endpoint, pathStyle: true, ...key };
  },
};

for (const [name, open] of Object.entries(places)) {
  t.test(`in ${name}`, async (t) => {
    const objects = await open(t);
    const h = await startHarness(t, { objects });
    const host = await startBuildHost(h, { macs: 1 });
    const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'owner/name' } })).json();
    await h.workers.idle();
    await host.start();
    const log = Buffer.from('compiling 한국어\n'.repeat(2_000));
    await host.output(id, log);
    const artifacts = {
      'large.bin': randomBytes(200_000),
      'small.txt': Buffer.from('all fine\n'),
      empty: Buffer.alloc(0),
    };
    for (const [file, content] of Object.entries(artifacts)) {
      const of = { buildId: id, attempt: 1, name: file, bytes: content.length, sha256: sha256(content) };
      await h.artifacts.store(of, Readable.from(content.length === 0 ? [] : [content]));
    }
    await host.finish(id);
    if (objects !== null) await h.workers.named('ended-logs').run(new Set());

    const authorization = `Bearer ${h.keys.all}`;
    const { data } = (await h.callConsole('GET', '/v1/files')).json();
    const urlOf = async (file: string) => {
      const { download_url: asked } = data.find((one: { name: string }) => one.name === file);
      const answer = await h.inject({ url: asked, headers: { authorization } });
      return new URL(answer.json().url).pathname;
    };
    const contents: readonly (readonly [string, string, Buffer])[] = [
      ...(await Promise.all(
        Object.entries(artifacts).map(async ([file, bytes]) => [file, await urlOf(file), bytes] as const),
      )),
      ['the log', `${API_ROOT}/builds/${id}/log?format=text`, log],
    ];
    for (const [what, url, bytes] of contents)
      await t.test(what, async (t) => {
        const size = bytes.length;
        const get = (headers: Record<string, string>) => h.inject({ url, headers: { authorization, ...headers } });
        const whole = await get({});
        t.match(whole, { statusCode: 200, headers: { 'accept-ranges': 'bytes', 'content-length': String(size) } });
        t.ok(whole.rawPayload.equals(bytes));
        const etag = String(whole.headers.etag);
        t.match(etag, /^"[\w-]+"$/);
        for (const { range: rangeOf, part } of size === 0 ? rangesOfNothing : ranges) {
          const range = rangeOf(size);
          const [start, end] = part === null || part === 'none' ? [0, size] : part(size);
          for (const condition of [[], [['if-range', etag]]]) {
            const answer = await get({ range, ...Object.fromEntries(condition) });
            t.equal(answer.statusCode, part === 'none' ? 416 : part === null ? 200 : 206, range);
            t.equal(answer.headers.etag, etag);
            if (part === 'none') {
              t.equal(answer.headers['content-range'], `bytes */${size}`, range);
              t.equal(answer.body, '');
              continue;
            }
            t.ok(answer.rawPayload.equals(bytes.subarray(start, end)), range);
            t.equal(answer.headers['content-length'], String(end - start));
            t.equal(answer.headers['content-range'], part === null ? undefined : `bytes ${start}-${end - 1}/${size}`);
          }
        }
        for (const other of ['"another"', `W/${etag}`, 'Sun, 01 Mar 2026 09:00:00 GMT'])
          for (const range of ['bytes=1-3', 'bytes=999999-']) {
            const answer = await get({ range, 'if-range': other });
            t.same([answer.statusCode, answer.rawPayload.length], [200, size], `${range} of ${other}`);
          }
      });
  });
}
