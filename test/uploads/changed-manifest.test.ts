// A stored manifest with some rows replaced is what the whole manifest would have been stored as.
import fc from 'fast-check';
import t from 'tap';
import { changedSizes, changeManifest } from '../../control-plane/uploads/formats/changed-manifest.js';
import { contentSizes, encodeManifest } from '../../control-plane/uploads/formats/manifest.js';
import type { SourceFile, SourceManifest } from '../../shared/protocol/index.js';
import { sha256 } from '../harness/sha256.js';

const file = (path: string, content: string, mode: SourceFile['mode'] = 0o644): SourceFile => ({
  path,
  sha256: sha256(Buffer.from(content)),
  size: content.length,
  mode,
});
const manifest = (files: SourceFile[], rest: Partial<SourceManifest> = {}): SourceManifest => ({
  files,
  links: [],
  directories: [],
  ...rest,
});
const stored = async (whole: SourceManifest) => Buffer.concat(await encodeManifest(whole));
const change = async (before: SourceManifest, files: SourceFile[]) => {
  const changed = await changeManifest(await stored(before), files);
  const sizes = await changedSizes(await contentSizes(before.files), changed, files);
  return { bytes: Buffer.concat(changed.pieces), sizes, replaced: changed.replaced };
};

t.test('any change of any manifest', async (t) => {
  // Few contents, so that files share them; names that look like parts of a manifest.
  const content = fc.constantFrom('', 'a', 'bb', 'ccc');
  const mode = fc.constantFrom<SourceFile['mode']>(0o644, 0o755);
  const name = fc.constantFrom(
    'a',
    'b}',
    '"sha256":"',
    '{"path":"a","sha256":"',
    '\\',
    'ü',
    '🍎',
    '\u007f',
    '},{',
    '],"links":[',
  );
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const files = fc
    .uniqueArray(path, { minLength: 1, maxLength: 8 })
    .chain((paths) =>
      fc.tuple(
        ...paths.map((one) =>
          fc.tuple(content, mode, fc.option(fc.tuple(content, mode))).map((row) => [one, row] as const),
        ),
      ),
    );
  await fc.assert(
    fc.asyncProperty(files, async (rows) => {
      const links = [{ path: 'a link', target: '{"path":"a","sha256":"' }];
      const before = manifest(
        rows.map(([one, [text, bits]]) => file(one, text, bits)),
        { links, directories: ['{"path":"a'] },
      );
      const changes = rows.flatMap(([one, [, , next]]) => (next ? [file(one, ...next)] : []));
      const after = {
        ...before,
        files: rows.map(([one, [text, bits, next]]) => file(one, ...(next ?? ([text, bits] as const)))),
      };
      const { bytes, sizes, replaced } = await change(before, changes);
      t.ok(bytes.equals(await stored(after)));
      t.same(new Map([...sizes].sort()), new Map([...(await contentSizes(after.files))].sort()));
      t.equal(replaced.length, changes.length);
    }),
    { numRuns: 300 },
  );
});

t.test('what is refused', async (t) => {
  const before = manifest([file('a', 'one'), file('b/c', 'one'), file('d', 'three')], {
    links: [{ path: 'l', target: 'a' }],
    directories: ['empty'],
  });
  const refused = (message: RegExp) => ({ name: 'FormatError', kind: 'manifest', message });
  for (const path of ['b', 'c', 'A', 'b/c/', 'l', 'empty', 'z', '']) {
    const changes = [file('d', 'x'), file(path, 'x')];
    await t.rejects(change(before, changes), refused(/files\[1\]\.path .* is not in the base/), path);
  }
  await t.rejects(change(before, [file('a', 'x'), file('a', 'y')]), refused(/files\[1\]\.path .* or named twice/));
  const resized = { ...file('d', 'one'), size: 4 };
  await t.rejects(change(before, [resized]), refused(/files\[0\]\.size .* two sizes, 3 and 4/));
  const both = ['a', 'b/c'].map((path) => ({ ...file(path, 'one'), size: 4 }));
  await t.rejects(change(before, both), refused(/two sizes/), 'a content keeps its size');
});

t.test('nothing is changed', async (t) => {
  const before = manifest([file('a', 'one')]);
  const { bytes, sizes } = await change(before, []);
  t.ok(bytes.equals(await stored(before)));
  t.same(sizes, await contentSizes(before.files));
});
