// The transfer of contents from the service: interrupted, refused, damaged, hostile, stopped.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { contentRoot } from '../../../host-agent/caches/content-cache.js';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { sha256 } from '../../harness/sha256.js';
import { createMac, expected, failureOf, look, type Mac, pieces, record, serve, upload } from './source-fixtures.js';
import { big } from './source-project.js';

t.test('an interrupted transfer continues where it ended', async (t) => {
  const mac = createMac(t);
  const tree = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`file${n}`, `content ${n}`]));
  const from = upload({ ...tree, large: big });
  const served = serve(from);
  const asked: number[] = [];
  let manifestFails = 2;
  const fetcher = {
    ...served,
    async manifest(signal: AbortSignal) {
      manifestFails -= 1;
      if (manifestFails >= 0) throw new Error('socket hang up');
      return served.manifest(signal);
    },
    async blobs(hashes: readonly string[]) {
      asked.push(hashes.length);
      if (asked.length % 3 === 0 && asked.length < 6) throw new Error('connect ECONNREFUSED');
      const all = record(from, hashes);
      if (asked.length > 6) return Readable.from(pieces(all, 500));
      if (asked.length % 3 === 1) return Readable.from(pieces(all.subarray(0, Math.ceil(all.length / 3)), 500));
      return Readable.from(
        (function* () {
          yield* pieces(all.subarray(0, Math.ceil((all.length * 2) / 3)), 500);
          throw new Error('read ECONNRESET');
        })(),
      );
    },
  };
  await mac.checkOut(from, { fetcher });
  t.strictSame(look(mac.work), expected(from));
  t.ok(asked.length > 3);
  t.strictSame(
    asked,
    [...asked].sort((a, b) => b - a),
    'what arrived is not asked for again',
  );
  t.match(mac.said, ['The connection to the service broke while fetching sources; trying again.']);
  t.strictSame(readdirSync(join(contentRoot(join(mac.root, 'cache')), 'incoming')), []);
});

t.test('many contents are requested in several requests', async (t) => {
  const mac = createMac(t);
  const from = upload(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, `${n}`.repeat(10)])));
  const fetcher = serve(from);
  await mac.checkOut(from, { fetcher, limits: { ...defaultSourceLimits, blobsPerRequest: 8 } });
  t.strictSame(
    fetcher.asked.map((hashes) => hashes.length),
    [8, 8, 4],
  );
  const bytes = serve(from);
  const two = createMac(t);
  await two.checkOut(from, { fetcher: bytes, limits: { ...defaultSourceLimits, blobBytesPerRequest: 25 } });
  t.ok(bytes.asked.length >= 10);
  t.strictSame(look(two.work), expected(from));
});

t.test('a transfer that keeps failing fails the step, with the reason', async (t) => {
  const from = upload({ a: 'one', b: 'two' });
  const other = upload({ c: 'ten' });
  const answers: Record<string, () => Readable | Promise<Readable>> = {
    'no connection': () => Promise.reject(new Error('connect ECONNREFUSED')),
    nothing: () => Readable.from([]),
    'a wrong content': () => Readable.from([Buffer.from(`${sha256('one')} 3\nONE${sha256('two')} 3\nTWO`)]),
    'a content nobody asked for': () => Readable.from([record(other, [sha256('ten')])]),
    'another size': () => Readable.from([Buffer.from(`${sha256('one')} 4\none!`)]),
    'a record cut in its header': () => Readable.from([Buffer.from(sha256('one').slice(0, 20))]),
    'a record cut in its content': () => Readable.from([Buffer.from(`${sha256('one')} 3\non`)]),
    'an overlong header': () => Readable.from([Buffer.from(`${sha256('one')} ${'0'.repeat(90)}3\none`)]),
    'a signed size': () => Readable.from([Buffer.from(`${sha256('one')} +3\none`)]),
    'a size with an exponent': () => Readable.from([Buffer.from(`${sha256('one')} 3e0\none`)]),
    'a size with a leading zero': () => Readable.from([Buffer.from(`${sha256('one')} 03\none`)]),
    'an error page': () => Readable.from([Buffer.from('<html>502 Bad Gateway</html>\n')]),
  };
  for (const [answer, give] of Object.entries(answers)) {
    const mac = createMac(t);
    let asked = 0;
    const fetcher = {
      ...serve(from),
      blobs: async () => {
        asked += 1;
        return give();
      },
    };
    const limits = { ...defaultSourceLimits, transferAttempts: 3, retryBaseMs: 0 };
    t.match(
      await failureOf(mac.checkOut(from, { fetcher, limits })),
      { step: 'source', reasonCode: 'source_unavailable', fault: 'platform' },
      answer,
    );
    t.equal(asked, 3, answer);
    await mac.checkOut(from);
    t.strictSame(look(mac.work), expected(from), `${answer}: the next build is fine`);
  }

  const mac = createMac(t);
  const gone = new BuildStepError('source', 'source_unavailable', 'platform', 'The upload has expired.');
  for (const part of ['manifest', 'blobs'] as const) {
    let asked = 0;
    const fail = async () => {
      asked += 1;
      throw gone;
    };
    await t.rejects(mac.checkOut(from, { fetcher: { ...serve(from), [part]: fail } }), gone);
    t.equal(asked, 1, 'a final answer is not asked for again');
  }
  const fails = { ...serve(from), manifest: () => Promise.reject(new Error('no')) };
  t.match(await failureOf(mac.checkOut(from, { fetcher: fails })), { reasonCode: 'source_unavailable' });
});

t.test('sources that are damaged on the service end the build without endless retries', async (t) => {
  const from = upload({ a: 'one', b: 'two' });
  const answers: [name: string, asked: number, answer: string][] = [
    ['another size', 3, `${sha256('one')} 4\none!`],
    ['another content', 3, `${sha256('one')} 3\nONE`],
    ['one nobody asked for', 3, `${sha256('ten')} 3\nten`],
    ['one by one, every second time', 3, `${sha256('one')} 3\none${sha256('two')} 4\ntwo!`],
    ['a lost content', 1, `${sha256('two')} gone\n`],
  ];
  for (const [name, times, answer] of answers) {
    const mac = createMac(t);
    let asked = 0;
    const fetcher = {
      ...serve(from),
      blobs: async () => {
        asked += 1;
        return Readable.from([Buffer.from(answer)]);
      },
    };
    const limits = { ...defaultSourceLimits, retryBaseMs: 0 };
    const error = await failureOf(mac.checkOut(from, { fetcher, limits }));
    t.match(error, { step: 'source', reasonCode: 'source_unavailable', message: /lost or damaged/ }, name);
    t.equal(asked, times, name);
    t.notOk(mac.said.join('').includes('connection') && times === 1, name);
  }
  let asked = 0;
  const manifest = async () => {
    asked += 1;
    return JSON.parse('<html>');
  };
  const page = await failureOf(createMac(t).checkOut(from, { fetcher: { ...serve(from), manifest } }));
  t.match(page, { reasonCode: 'source_unavailable' });
  t.equal(asked, 1);
});

t.test('a manifest that points out of the folder writes nothing', async (t) => {
  const mac = createMac(t);
  const file = (path: string) => upload({ [path]: 'x', fine: 'y' });
  const link = (path: string, target: string) => upload({ fine: 'y' }, { links: [{ path, target }] });
  const twice = upload({ a: 'x' });
  twice.manifest.files.push(...twice.manifest.files);
  const hollow = upload({ a: '' });
  hollow.manifest.files[0]!.size = 5;
  const manifests: Record<string, ReturnType<typeof upload>> = {
    absolute: file('/etc/moo'),
    'with two slashes': file('//etc/moo'),
    upward: file('../moo'),
    'upward inside': file('a/../../moo'),
    'upward at the end': file('a/..'),
    dot: file('.'),
    'leading dot': file('./a'),
    'dot inside': file('a/./b'),
    empty: file(''),
    'empty part': file('a//b'),
    'trailing slash': file('a/'),
    git: file('.git/hooks/post-checkout'),
    'git inside': file('a/.git'),
    'git in capitals': file('a/.GIT/config'),
    'git with an ignored character': file('.g\u200cit/config'),
    'git by its short name': file('GIT~1/config'),
    'git with dots behind it': file('a/.git. ./config'),
    NUL: file('a\0b'),
    overlong: file('a/'.repeat(600)),
    'overlong in bytes': file(`${'ä/'.repeat(350)}x`),
    'the same file twice': twice,
    'a size that cannot be': hollow,
    'file and folder': upload({ a: 'x', 'a/b': 'y' }),
    'link and file below it': upload({ 'a/b': 'y' }, { links: [{ path: 'a', target: 'b' }] }),
    'empty folder that is a file': upload({ a: 'x' }, { directories: ['a'] }),
    'folder upward': upload({ a: 'x' }, { directories: ['../b'] }),
    'absolute link': link('l', '/etc'),
    'link upward': link('l', '../x'),
    'link upward inside': link('a/l', '../../x'),
    'link with a detour': link('a/l', 'b/../../../x'),
    'link to nothing': link('l', ''),
  };
  await mac.checkOut(upload({ file: 'before' }));
  for (const [name, from] of Object.entries(manifests)) {
    t.match(await failureOf(mac.checkOut(from)), { reasonCode: 'source_unavailable', fault: 'platform' }, name);
    t.strictSame(look(mac.work), { file: 'before' }, name);
  }
  t.strictSame(readdirSync(mac.root).sort(), ['cache', 'mac']);
  await mac.checkOut(link('a/b/l', '../../fine'));
});

t.test('stopping a build stops its transfer at once', async (t) => {
  const mac = createMac(t);
  const from = upload({ a: 'x', b: big });
  const stops: ((stop: AbortController) => Partial<Parameters<Mac['checkOut']>[1]>)[] = [
    (stop) => {
      stop.abort(new Error('cancelled'));
      return {};
    },
    (stop) => ({
      fetcher: {
        ...serve(from),
        manifest: () => {
          stop.abort(new Error('cancelled'));
          return Promise.reject(new Error('aborted'));
        },
      },
    }),
    (stop) => ({
      fetcher: {
        ...serve(from),
        blobs: async () => {
          stop.abort(new Error('cancelled'));
          return Readable.from(
            (async function* () {
              yield Buffer.from(`${sha256('x')} 1\n`);
              throw new Error('aborted');
            })(),
          );
        },
      },
    }),
    (stop) => ({
      limits: { ...defaultSourceLimits, retryBaseMs: 1e9, retryMaxMs: 1e9 },
      fetcher: {
        ...serve(from),
        blobs: async () => {
          setImmediate(() => stop.abort(new Error('cancelled')));
          throw new Error('refused, so the step waits');
        },
      },
    }),
  ];
  for (const arrange of stops) {
    const stop = new AbortController();
    await t.rejects(mac.checkOut(from, { ...arrange(stop), signal: stop.signal }), { message: 'cancelled' });
  }
  await mac.checkOut(from);
  t.strictSame(look(mac.work), expected(from));
});
