// Uploads, downloads and logs of the library, as streams.
// Runs in: soak
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';
import type { Client } from '../../client/index.js';
import { cases, everyNth } from '../harness/soak.js';
import { clientOf, failureOf, noWaiting } from './client-rig.js';
import { startCuttingProxy } from './cutting-proxy.js';
import { KEY, startScriptedService } from './scripted-service.js';

t.test('uploads: a manifest is compressed, blobs and tars stream, bodies are recreated for a repetition', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const client = clientOf(service);
  const manifest = {
    project: 'app',
    files: [{ path: 'ä', sha256: 'b'.repeat(64), size: 1, mode: 493 as const }],
  };
  const upload = await client.uploads.create(manifest);
  t.match(upload, { id: 'up_1', missing: ['b'.repeat(64)], missing_bytes: 1 });
  const sent = service.seen('POST /uploads').at(-1)!;
  t.same(JSON.parse(gunzipSync(sent.body).toString()), manifest);
  t.equal(sent.headers['content-type'], 'application/gzip');

  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const through = clientOf(service, fetch ? { fetch } : {});
    service.instead('POST /uploads/up_1/blobs', { status: 503, text: '' }, 1);
    service.instead('POST /uploads/up_1/blobs', { text: '{"stored":0}', status: 200 }, 1);
    service.requests.length = 0;
    let made = 0;
    const body = async function* () {
      made++;
      for (let n = 0; n < 50; n++) yield Buffer.alloc(10_000, n);
    };
    t.same(await through.uploads.blobs('up_1', body), { stored: 0 });
    t.equal(made, 2);
    t.same(
      service.requests.map((request) => request.body.length),
      [500_000, 500_000],
    );
    const broken = through.uploads.blobs('up_1', async function* () {
      yield Buffer.alloc(10);
      throw new RangeError('the disk is gone');
    });
    await t.rejects(
      broken,
      { name: 'RangeError', message: 'the disk is gone' },
      'a body that fails is not "unreachable"',
    );
  }

  service.instead('POST /uploads/tar', { status: 201, text: '{"upload_id":"up_9"}' });
  t.equal((await client.uploads.tar(() => Buffer.from('x'), { project: 'app' })).upload_id, 'up_9');
  t.match(service.requests.at(-1), {
    path: '/api/v1/uploads/tar?project=app',
    headers: { 'content-type': 'application/gzip' },
  });
});

t.test('artifacts: all pages, and a download that does not hand the key to the signed address', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = (build) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) build.addArtifact(name, name.repeat(100_000));
    build.finish({ status: 'succeeded', exit_code: 0 });
  };
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
  const found = [];
  for await (const file of client.files.artifactsOf(id)) found.push(file);
  t.same(
    found.map((file) => file.name),
    ['a', 'b', 'c', 'd', 'e'],
  );
  const chunks = [];
  for await (const chunk of client.files.downloadArtifact(id, found[1]!.id)) chunks.push(chunk);
  t.equal(Buffer.concat(chunks).toString(), 'b'.repeat(100_000));
  t.equal(service.seen('GET /signed/*').at(-1)?.headers.authorization, undefined);
  service.instead('DELETE /v1/files/f_1', { status: 204 });
  t.equal(await client.files.delete('f_1'), undefined);
  service.instead('DELETE /v1/files/f_1', { status: 409, error: { code: 'file_in_use', retryable: false } });
  t.match(await failureOf(client.files.delete('f_1')), { code: 'file_in_use' });
});

t.test('the log in its four forms', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = (build) => build.append('one\ntwo é\nthree\n');
  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const client = clientOf(service, { clock: { ...noWaiting().clock }, ...(fetch ? { fetch } : {}) });
    const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
    const { log } = client.builds;
    t.equal(await log.text(id), 'one\ntwo é\nthree\n');
    t.equal(await log.tail(id, 2), 'two é\nthree\n');
    t.match(await log.segment(id, 4), { offset: 4, next_offset: 17, data: 'two é\nthree\n', eof: false });
    t.match(await failureOf(log.segment(id, 99)), { code: 'invalid_offset' });

    let streamed = '';
    for await (const bytes of log.stream(id, { waitS: 60 })) {
      streamed += Buffer.from(bytes).toString();
      if (streamed.endsWith('three\n')) service.builds.get(id)?.append('four\n');
      if (streamed.endsWith('four\n')) service.builds.get(id)?.finish({ status: 'succeeded', exit_code: 0 });
    }
    t.equal(streamed, 'one\ntwo é\nthree\nfour\n');

    const running = await client.builds.create({ script: 'x', repo: 'a/b' });
    const abort = new AbortController();
    const reason = new Error('enough');
    const endless = async () => {
      for await (const _ of log.stream(running.id, { waitS: 60, signal: abort.signal })) abort.abort(reason);
    };
    await t.rejects(endless(), reason, 'a stream ends with its signal');
    for await (const _ of log.stream(running.id, { waitS: 60 })) break;
    for await (const segment of log.follow(running.id, { offset: 4 })) {
      t.equal(segment.data, 'two é\nthree\n', 'a follower can begin anywhere, and be left');
      break;
    }
  }
});

/** A service behind a proxy that cuts connections. */
async function startCut(t: Test) {
  const service = await startScriptedService();
  const proxy = await startCuttingProxy(service.url);
  const network = createNodeFetch(process.env);
  t.teardown(async () => {
    network.close();
    await proxy.close();
    await service.close();
  });
  return { service, proxy, network };
}

t.test('a follower loses and repeats no byte, wherever its connection is cut', async (t) => {
  const { service, proxy, network } = await startCut(t);
  const log = 'first line\nsecond: é ß 漢字 😀\n\u001b[31mred\u001b[0m\nlast line without a break';
  service.onSubmit = (build) => {
    build.append(log);
    build.finish({ status: 'succeeded', exit_code: 0 });
  };
  const collect = async (client: Client, id: string) => {
    let text = '';
    let offset = 0;
    for await (const segment of client.builds.log.follow(id)) {
      if (segment.offset !== offset) throw new Error(`segment at ${segment.offset} after ${offset}`);
      offset = segment.next_offset;
      text += segment.data;
    }
    return text;
  };
  const collectBytes = async (client: Client, id: string) => {
    const pieces = [];
    for await (const bytes of client.builds.log.followBytes(id)) pieces.push(bytes);
    return Buffer.concat(pieces).toString('latin1');
  };
  const direct = clientOf(service);
  const { id } = await direct.builds.create({ script: 'x', repo: 'a/b' });
  const whole = await fetch(`${service.url}/builds/${id}/log?offset=0`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const headers = [...whole.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 60);
  const bytes = headers + (await whole.arrayBuffer()).byteLength;

  let wrong = 0;
  const cuts = everyNth(4, [...Array(bytes + 1).keys()]);
  for (const cut of cuts) {
    // A connection of its own for each request: every one of them starts at the beginning of an answer.
    const client = clientOf(proxy, {
      fetch: (url, init) => network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
    });
    proxy.cuts.splice(0, proxy.cuts.length, cut, Math.floor(cut / 2));
    if ((await collect(client, id)) !== log) wrong++;
  }
  t.equal(wrong, 0, `${cuts.length} cuts of ${bytes} bytes`);

  await t.test('and bytes that are no text, to a character that is never completed', async () => {
    const odd = Buffer.from('€ \xe2\x82 \x80\x80\x80\x80 \xff\xfe \xf0\x9f\x98\n\xe2\x82', 'latin1');
    service.onSubmit = (build) => {
      build.append(odd);
      build.finish({ status: 'succeeded', exit_code: 0 });
    };
    const { id } = await direct.builds.create({ script: 'x', repo: 'a/b' });
    const wrongAt: number[] = [];
    for (const cut of cuts) {
      const client = clientOf(proxy, {
        fetch: (url, init) => network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
      });
      proxy.cuts.splice(0, proxy.cuts.length, cut, Math.floor(cut / 2));
      if ((await collectBytes(client, id)) !== odd.toString('latin1')) wrongAt.push(cut);
    }
    t.same(wrongAt, []);
  });

  await t.test('and with a log that grows meanwhile, over any cuts', async () => {
    service.onSubmit = () => undefined;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (pieces, cuts) => {
          const build = await direct.builds.create({ script: 'x', repo: 'a/b' });
          const client = clientOf(proxy, { fetch: network.fetch });
          proxy.cuts.splice(0, proxy.cuts.length, ...cuts);
          const followed = Promise.all([collect(client, build.id), collectBytes(client, build.id)]);
          for (const piece of pieces) {
            service.builds.get(build.id)?.append(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          service.builds.get(build.id)?.finish({ status: 'succeeded', exit_code: 0 });
          const bytes = Buffer.from(pieces.join(''));
          const [text, raw] = await followed;
          return text === bytes.toString() && raw === bytes.toString('latin1');
        },
      ),
      { numRuns: cases(5) },
    );
  });
});

t.test('a follower that is far behind catches up in few requests, over any cuts', async (t) => {
  const { service, proxy, network } = await startCut(t);
  const log = Array.from({ length: 300_000 }, (_, n) => `line ${n} é 漢字 😀`).join('\n');
  service.onSubmit = (build) => build.append(log);
  const { id } = await clientOf(service).builds.create({ script: 'x', repo: 'a/b' });
  const bytes = Buffer.byteLength(log);
  t.ok(bytes > 7_000_000);
  const finish = () => {
    service.builds.get(id)?.append('\nlast');
    service.builds.get(id)?.finish({ status: 'succeeded', exit_code: 0 });
  };
  const follow = async (client: Client, start: number) => {
    let text = '';
    let offset = start;
    for await (const segment of client.builds.log.follow(id, { offset: start })) {
      if (segment.offset !== offset) throw new Error(`segment at ${segment.offset} after ${offset}`);
      if (segment.offset + Buffer.byteLength(segment.data) !== segment.next_offset) throw new Error('cut');
      offset = segment.next_offset;
      text += segment.data;
      if (offset === bytes) finish();
    }
    return text;
  };
  t.equal(await follow(clientOf(service), 0), `${log}\nlast`);
  t.ok(service.seen('GET /builds/*/log').length <= 5, 'a request for each segment would be over thirty');

  for (const cuts of [[700_000], [400_000, 900_000, 300_001], [1, 300_000, 5, 2_000_003]]) {
    service.requests.length = 0;
    proxy.cuts.splice(0, proxy.cuts.length, ...cuts);
    const client = clientOf(proxy, {
      fetch: (url, init) => network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
    });
    t.equal(await follow(client, 0), `${log}\nlast`, `cut after ${cuts.join(', ')} bytes`);
    t.ok(service.requests.length <= 5 + 2 * cuts.length, `${service.requests.length} requests`);
  }
});
