// Runs in: soak
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { FormatError } from '../../control-plane/uploads/formats/format-error.js';
import {
  contentSizes,
  encodeManifest,
  isProjectName,
  readManifest,
  readStoredFiles,
} from '../../control-plane/uploads/formats/manifest.js';
import { readManifestJson } from '../../control-plane/uploads/formats/manifest-json.js';
import { uploadManifestShape } from '../../control-plane/uploads/http/upload-view.js';
import { foldPath } from '../../shared/paths/fold-path.js';
import { badPath } from '../../shared/paths/source-path.js';
import type { SourceManifest } from '../../shared/protocol/index.js';
import { sha256 } from '../harness/sha256.js';
import { pieces } from '../platform/content-store-conformance.js';

const bounds = {
  maxFiles: 1000,
  maxFolders: 1000,
  maxFileBytes: 2_000,
  maxTotalBytes: 10_000,
  maxPathBytes: 1024,
};
const hashOf = (text: string) => sha256(Buffer.from(text));
const file = (path: unknown, rest: Record<string, unknown> = {}) => ({
  path,
  sha256: hashOf('x'),
  size: 1,
  ...rest,
});

const readText = (text: string | Buffer, size = 1 << 20, limits = bounds) =>
  readManifest(pieces(Buffer.from(text), size), limits);
const read = (files: unknown, rest: Record<string, unknown> = {}, size?: number, limits = bounds) =>
  readText(JSON.stringify({ project: 'demo', files, ...rest }), size, limits);
const sorted = ({ files, ...rest }: SourceManifest) => ({
  ...rest,
  files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
});
const readPaths = (...paths: string[]) => read(paths.map((path) => file(path)));

t.test('a manifest is read in any layout and any division of its bytes', async (t) => {
  const files = [
    file('b/x.txt', { mode: 493 }),
    file('a', { sha256: hashOf('y'), size: 7, mode: 420 }),
    file('ü{[",]}\\"'),
  ];
  const layouts = [
    JSON.stringify({ project: 'demo', files }),
    JSON.stringify({ files, project: 'demo' }),
    JSON.stringify({ files, project: 'demo' }, null, 3),
    ` \n{ "project" : "demo" , "files"\t:\r\n[ ${files.map((f) => JSON.stringify(f, null, 1)).join(' ,\n')} ] } `,
  ];
  for (const text of layouts) {
    for (const size of [1, 13, 4096]) {
      const { project, manifest, totalBytes, sizes } = await readText(text, size);
      t.equal(project, 'demo');
      t.same(manifest, {
        files: [
          { path: 'b/x.txt', sha256: hashOf('x'), size: 1, mode: 0o755 },
          { path: 'a', sha256: hashOf('y'), size: 7, mode: 0o644 },
          { path: 'ü{[",]}\\"', sha256: hashOf('x'), size: 1, mode: 0o644 },
        ],
        links: [],
        directories: [],
      });
      t.equal(totalBytes, 9);
      t.same(
        sizes,
        new Map([
          [hashOf('x'), 1],
          [hashOf('y'), 7],
        ]),
      );
    }
  }
});

t.test('a long manifest is parsed in pieces and comes out in order', async (t) => {
  const files = Array.from({ length: 9_000 }, (_, i) =>
    file(`dir${i % 7}/file ${i}`, { sha256: hashOf(`${i}`), size: i }),
  );
  const limits = {
    maxFiles: 9_000,
    maxFolders: 9_000,
    maxFileBytes: 9_000,
    maxTotalBytes: 1e9,
    maxPathBytes: 1024,
  };
  const { manifest, sizes } = await read(files, {}, 65_536, limits);
  t.same(
    manifest.files.map((f) => f.path),
    files.map((f) => f.path),
  );
  const bytes = Buffer.concat(await encodeManifest(manifest));
  // Not with t.same: to show the difference of 9,000 files takes minutes.
  t.ok(isDeepStrictEqual(JSON.parse(bytes.toString()), sorted(manifest)), 'the stored form is sorted by path');
  const stored = await readStoredFiles(pieces(bytes, 10_000));
  t.ok(isDeepStrictEqual(stored, sorted(manifest).files));
  t.same(await contentSizes(stored), sizes);
  await t.rejects(readStoredFiles(pieces(bytes.subarray(0, 100_000), 10_000)), { name: 'Error' });
  await t.rejects(read([...files, file('one more')], {}, 65_536, limits), {
    name: 'FormatError',
    kind: 'too_many',
  });
});

t.test('what only looks like the end of a file is not taken for one', async () => {
  const odd = [
    (n: number) => file(`a},{"path":"${n}`),
    (n: number) => file(`${n}`, { extra: [{ a: {} }, { b: [{}, {}] }] }),
    (n: number) => file(`b"},\\${n}`),
    (n: number) => file(`ü},${n}`, { sha256: hashOf(`${n}`) }),
    (n: number) => file(`plain/${n}`),
  ];
  const kinds = fc.array(fc.nat(odd.length - 1), { minLength: 1, maxLength: 4 });
  const rest = [
    {},
    { note: [{ deep: [[]] }, 'files:['], also: { files: [1] } },
    { more: [{ files: [{}] }, {}], pad: '},'.repeat(9_000) },
  ];
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.constantFrom(...rest),
      fc.constantFrom(999, 70_000, 1 << 20),
      async (which, beside, size) => {
        const files = Array.from({ length: 3_000 }, (_, n) => odd[which[n % which.length] ?? 0]?.(n) ?? file(''));
        // Long enough that several pieces are parsed.
        const text = JSON.stringify({ ...beside, project: 'demo', files, last: beside });
        const found: { path: unknown }[] = [];
        await readManifestJson(pieces(Buffer.from(text), size), (some) => found.push(...(some as { path: unknown }[])));
        const paths = (list: readonly { path: unknown }[]) => list.map(({ path }) => path).join('\n');
        if (paths(found) !== paths(files)) throw new Error('not the same files');
      },
    ),
    { numRuns: 40 },
  );
});

t.test('a field that a manifest or an entry does not have is refused, and the nearest one named', async (t) => {
  const refused = async (refusal: Promise<unknown>, path: string, message: string) =>
    t.rejects(refusal, { name: 'FormatError', kind: 'manifest', message, facts: { fields: [{ path }] } }, message);
  await refused(
    read([file('a'), file('b', { Mode: 493 })]),
    'files[1].Mode',
    'Unknown field files[1].Mode; did you mean files[1].mode?',
  );
  await refused(
    read([{ path: 'a', sha265: hashOf('x'), size: 1 }]),
    'files[0].sha265',
    'Unknown field files[0].sha265; did you mean files[0].sha256?',
  );
  await refused(
    read([file('a', { executable: true })]),
    'files[0].executable',
    'Unknown field files[0].executable; known: path, sha256, size, mode.',
  );
  await refused(read([file('a')], { projcet: 'x' }), 'projcet', 'Unknown field projcet; did you mean project?');
});

t.test('other JSON is invalid_manifest', async (t) => {
  const one = JSON.stringify(file('a'));
  const texts = [
    '',
    'null',
    '[]',
    '"files"',
    '{}',
    '{"project":"demo"}',
    '{"project":"demo","files":null}',
    '{"project":"demo","files":{}}',
    '{"project":"demo","files":"[]"}',
    `{"project":"demo","files":[${one}`,
    `{"project":"demo","files":[${one}]`,
    `{"project":"demo","files":[${one},]}`,
    `{"project":"demo","files":[,${one}]}`,
    `{"project":"demo","files":[${one}${one}]}`,
    `{"project":"demo","files":[${one}}}`,
    `{"project":"demo","files":[${one}]]`,
    `{"project":"demo","files":[${one}]}}`,
    `{"project":"demo","files":[${one}]} x`,
    `{"project":"demo","files":[${one}],"files":[${one}]}`,
    `{"project":"demo","files":[${one}],"fil\\u0065s":[${one}]}`,
    `{"project":"demo","fil\\u0065s":[${one}]}`,
    `{"project":"demo" "files":[${one}]}`,
    `[{"project":"demo","files":[${one}]}]`,
    `{"project":"demo","x":{"files":[${one}]}}`,
    `{"project":"demo","files":[${one}],"pad":"${'x'.repeat(70_000)}"}`,
    `{"project":"demo","files":[{"path":"${'x'.repeat(300_000)}"}]}`,
    `{"project":"demo","files":[${'['.repeat(300_000)}`,
    `{"project":"demo","files":[${'[],'.repeat(200_000)}[]]}`,
    `{"project":"demo","files":[1]}`,
    `{"project":"demo","files":[null]}`,
  ];
  for (const text of texts) {
    for (const size of [text.length > 1000 ? 9_999 : 1, 1 << 20]) {
      await t.rejects(readText(text, size), { name: 'FormatError', kind: 'manifest' }, text.slice(0, 80));
    }
  }
  const notUtf8 = Buffer.from(`{"project":"demo","files":[${JSON.stringify(file('PATH'))}]}`);
  notUtf8.writeUInt8(0xff, notUtf8.indexOf('PATH'));
  await t.rejects(readText(notUtf8), { name: 'FormatError', kind: 'manifest' });
});

t.test(
  'a manifest whose excess lies outside of its files is read on until its source says that it is too large',
  async (t) => {
    const one = JSON.stringify(file('a'));
    for (const [start, end] of [
      [`{"project":"demo","files":[${one}],"pad":"`, '"}'],
      [`{"project":"demo","files":[{"path":"`, '"}]}'],
    ] as const) {
      async function* source(bound: number) {
        let bytes = 0;
        for (const piece of [start, ...Array<string>(100).fill('x'.repeat(10_000)), end]) {
          bytes += piece.length;
          if (bytes > bound) throw new FormatError('unpacked_too_large', 'too large');
          yield Buffer.from(piece);
        }
      }
      await t.rejects(readManifest(source(900_000), bounds), {
        name: 'FormatError',
        kind: 'unpacked_too_large',
      });
      await t.rejects(readManifest(source(2_000_000), bounds), { name: 'FormatError', kind: 'manifest' });
    }
  },
);

t.test('more folders than an upload may hold are refused as soon as they are named', async (t) => {
  const deep = (i: number) => file(`${i}/${'d/'.repeat(500)}f`);
  let taken = 0;
  async function* source() {
    yield Buffer.from('{"project":"demo","files":[');
    for (let i = 0; i < 900; i++) {
      taken++;
      yield Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(deep(i))}`);
    }
    yield Buffer.from(']}');
  }
  await t.rejects(readManifest(source(), bounds), {
    name: 'FormatError',
    kind: 'too_many',
    message: /1000 folders/,
  });
  t.ok(taken < 300, `refused after ${taken} files`);
});

t.test('a comma at the very end of a parsed piece must be followed by a file', async (t) => {
  const files = Array.from({ length: 2_000 }, (_, i) => JSON.stringify(file(`file-${i}`)));
  const limits = {
    maxFiles: 5_000,
    maxFolders: 9_000,
    maxFileBytes: 10,
    maxTotalBytes: 1e9,
    maxPathBytes: 1024,
  };
  // One of these lengths puts the last comma where a piece is cut.
  for (let count = 1_000; count < 1_300; count++) {
    const text = `{"project":"demo","files":[${files.slice(0, count).join(',')},]}`;
    await t.rejects(readText(text, 70_000, limits), { name: 'FormatError', kind: 'manifest' });
  }
});

t.test('every wrong field is named', async (t) => {
  const cases: [unknown, string][] = [
    [file(7), 'files[0].path'],
    [{ ...file('a'), path: undefined }, 'files[0].path'],
    [file('a', { sha256: hashOf('x').toUpperCase() }), 'files[0].sha256'],
    [file('a', { sha256: hashOf('x').slice(1) }), 'files[0].sha256'],
    [file('a', { sha256: 5 }), 'files[0].sha256'],
    [file('a', { size: -1 }), 'files[0].size'],
    [file('a', { size: 1.5 }), 'files[0].size'],
    [file('a', { size: '1' }), 'files[0].size'],
    [file('a', { size: 2 ** 53 }), 'files[0].size'],
    [file('a', { size: null }), 'files[0].size'],
    [file('a', { mode: 0o777 }), 'files[0].mode'],
    [file('a', { mode: '420' }), 'files[0].mode'],
    [file('a', { mode: null }), 'files[0].mode'],
    [[], 'files[0].path'],
  ];
  for (const [element, path] of cases) {
    await t.rejects(read([element]), { name: 'FormatError', kind: 'manifest', facts: { fields: [{ path }] } }, path);
  }
  for (const project of ['', '.', '..', 'a b', 'a/b', 'x'.repeat(65), 'ü', 5, null, undefined]) {
    t.equal(isProjectName(project), false);
    const facts = { fields: [{ path: 'project' }] };
    await t.rejects(read([file('a')], { project }), { name: 'FormatError', kind: 'manifest', facts }, String(project));
  }
  for (const project of ['a', '...', '_-.9Z', 'x'.repeat(64)]) t.equal(isProjectName(project), true);
});

t.test('limits: no file, too many, too large', async (t) => {
  await t.rejects(read([]), { name: 'FormatError', kind: 'empty' });
  await t.rejects(read([file('a', { size: 2_001 })]), { name: 'FormatError', kind: 'too_large' });
  const large = (count: number) =>
    Array.from({ length: count }, (_, i) => file(`f${i}`, { size: 2_000, sha256: hashOf('same') }));
  t.equal((await read(large(5))).totalBytes, 10_000);
  await t.rejects(read(large(6)), { name: 'FormatError', kind: 'too_large' });
  await t.rejects(
    read([file('a'), file('b', { size: 2 })]),
    { name: 'FormatError', kind: 'manifest' },
    'one hash, two sizes',
  );
});

t.test('paths that cannot be laid into a folder are refused', async (t) => {
  const bad = [
    '',
    '/',
    '/a',
    '//a',
    'a/',
    'a//b',
    '.',
    './a',
    'a/.',
    'a/./b',
    '..',
    '../a',
    'a/..',
    'a/../b',
    'a\0b',
    '\0',
    '.git',
    '.git/config',
    'a/.git/hooks/pre-commit',
    '.GIT/x',
    'a/.Git',
    '.gi\u200ct/config',
    '.g\ufeffit',
    'cafe\u0301',
    '\ud800',
    'x'.repeat(256),
    'ü'.repeat(128),
    `${'d/'.repeat(512)}x`,
    `${'é/'.repeat(350)}x`,
  ];
  for (const path of bad) {
    t.not(badPath(path, 1024), null, JSON.stringify(path));
    await t.rejects(readPaths(path), { name: 'FormatError', kind: 'manifest' }, JSON.stringify(path));
  }
  const good = [
    'b',
    'a/b',
    '...',
    '.gitignore',
    '.github/x',
    'git',
    'a.git',
    '.gitt',
    '.g',
    'C:\\x',
    'a\\..\\b',
    ' ',
    'a b',
    '~',
    'line\nbreak',
    '._a',
    'café',
    '日本/語',
    '😀',
    'x'.repeat(255),
    `${'d/'.repeat(511)}xy`,
    '-rf',
    'con',
    '%2e%2e/x',
  ];
  for (const path of good) t.equal(badPath(path, 1024), null, JSON.stringify(path));
  t.equal((await readPaths(...good)).manifest.files.length, good.length);
});

t.test('paths that meet on a disk without case or normalization are refused', async (t) => {
  const collisions: string[][] = [
    ['a', 'a'],
    ['Foo', 'foo'],
    ['Foo/x', 'foo/y'],
    ['a/B/c', 'a/b/d'],
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['A', 'a/b'],
    ['x/y/z', 'X/Y'],
    ['straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ﬁle', 'file'],
    ['ſ', 's'],
    ['\u212a', 'k'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδος', 'οδοσ'],
    ['É', 'é'],
    ['\u1e69', '\u1e68'],
    ['a\u200d', 'a'],
  ];
  for (const paths of collisions) {
    await t.rejects(readPaths(...paths), { name: 'FormatError', kind: 'manifest' }, paths.join(' and '));
    await t.rejects(readPaths(...[...paths].reverse()), { name: 'FormatError', kind: 'manifest' }, paths.join(' and '));
  }
  await t.resolves(readPaths('a/b', 'a/c', 'b/a', 'ab', 'a-b', 'é', 'e', 'ss/s', 's/ss'));
});

t.test('folding: paths that differ only by case or normalization collide', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(text, (name) => {
      const fold = foldPath(name);
      for (const form of ['NFC', 'NFD'] as const) {
        if (foldPath(name.normalize(form)) !== fold) return false;
        if (foldPath(name.normalize(form).toUpperCase()) !== foldPath(name.toUpperCase())) return false;
      }
      return foldPath(name.toLowerCase()) === fold && foldPath(fold) === fold;
    }),
    { numRuns: 2_000 },
  );
});

t.test('equal folders have equal bytes, for any order and layout of their manifests', async (t) => {
  const files = ['b', 'a/b', 'a', 'ü', 'a-b'].map((path, i) =>
    file(path === 'a' ? 'z' : path, { size: 1, mode: i % 2 ? 420 : 493 }),
  );
  const { manifest } = await read(files);
  const { manifest: other } = await readText(
    JSON.stringify(
      { files: [...files].reverse().map(({ path, ...rest }) => ({ ...rest, path })), project: 'other' },
      null,
      1,
    ),
  );
  const first = Buffer.concat(await encodeManifest(manifest));
  t.same(Buffer.concat(await encodeManifest(other)), first);
  t.same(JSON.parse(first.toString()), sorted(manifest));
});

t.test('the reference’s shape of a manifest takes what the reader takes, and refuses what it refuses', async (t) => {
  const or = <T>(usual: T, ...odd: unknown[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant<unknown>(usual) }, ...odd.map((one) => fc.constant(one)));
  const hash = hashOf('x');
  const oneFile = fc.record(
    {
      path: or('src/a.swift', 7, null),
      sha256: or(hash, hash.toUpperCase(), hash.slice(1), `${hash}0`, 1),
      size: or(1, 0, -1, 1.5, '1', null),
      mode: or(420, 493, 511, '420', null),
    },
    { requiredKeys: [] },
  );
  const manifest = fc.record(
    {
      project: or('demo', '', 'a b', 'x'.repeat(65), 'x'.repeat(64), 'a_b.c-d', '.', '..', '...', 1),
      base: or('up_0', 'no id', 7, ''),
      files: fc.oneof({ weight: 6, arbitrary: oneFile.map((file) => [file]) }, fc.constantFrom([], {}, [7])),
    },
    { requiredKeys: [] },
  );
  // One in twenty-five is taken, or so.
  const runs = 1_000;
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(manifest, async (value) => {
      const refusal = await readText(JSON.stringify(value)).then(
        () => null,
        (error: unknown) => error,
      );
      if (refusal !== null && !(refusal instanceof FormatError)) throw refusal;
      if (refusal === null) taken++;
      return uploadManifestShape.safeParse(value).success === (refusal === null);
    }),
    { numRuns: runs },
  );
  t.ok(taken > 0 && taken < runs, 'both sides were seen');
});
