// Filters of a log's stretches: they never deny what a search of the stretch finds, whatever is asked for.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { createLogSearch } from '../../control-plane/builds/domain/log-search.js';
import {
  isUnambiguous,
  mayHold,
  trigramFilter,
  trigramsOf,
} from '../../control-plane/builds/domain/log-trigrams.js';

const MOST = 8192;

function finds(stretch: Buffer, text: string): boolean {
  const search = createLogSearch({ text, from: 1, count: 1, lineChars: 1_000, pageChars: 1_000 });
  search.read(stretch);
  return search.end().total > 0;
}
const allows = (stretch: Buffer, text: string, most = MOST) =>
  mayHold(trigramFilter(stretch, most), trigramsOf(text));

t.test('a filter never excludes a text that a search finds', (t) => {
  const parts = [
    ...[
      'Error',
      'Er',
      'ror',
      'K\u212aelvin',
      '\u212a',
      'İ',
      'i\u0307',
      'ΑΣ',
      'ας',
      'É',
      'é',
      'ß',
      'ẞ',
      '오류',
      '語',
      '😀',
      '\ufffd',
    ],
    ...['\x1b[31m', '\x1b[0m', '\x1b]0;a', ' ', '\t', 'x', 'K', 'k', 'I', '\n', '\r\n'],
  ];
  const bytes = fc
    .array(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...parts).map((part) => Buffer.from(part)) },
        {
          weight: 1,
          arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }).map((some) => Buffer.from(some)),
        },
      ),
      { maxLength: 60 },
    )
    .map((all) => Buffer.concat(all));
  const text = fc
    .array(fc.constantFrom(...parts.filter((part) => !/(?!\t)\p{Cc}/u.test(part))), {
      minLength: 1,
      maxLength: 4,
    })
    .map((some) => some.join(''));
  let found = 0;
  fc.assert(
    fc.property(bytes, text, fc.constantFrom(0, 255, 256, 1_000, MOST), (stretch, wanted, most) => {
      if (!finds(stretch, wanted)) return;
      found++;
      t.ok(allows(stretch, wanted, most), JSON.stringify([stretch.toString('latin1'), wanted]));
    }),
    { numRuns: 20_000 },
  );
  t.ok(found > 500, `${found} texts were found`);
  t.end();
});

t.test('a character is unambiguous only if no other one becomes it in lower case', (t) => {
  const wrong: string[] = [];
  let unambiguous = 0;
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (isUnambiguous(character)) unambiguous++;
    const lower = character.toLowerCase();
    if (lower === character || /^[A-Z]$/.test(character)) continue;
    wrong.push(...[...lower].filter((one) => isUnambiguous(one)).map((one) => `${character} → ${one}`));
  }
  t.same(wrong, []);
  t.ok(unambiguous > 1_000_000, 'scripts without case are among them');
  t.end();
});

t.test('a filter excludes most texts that a stretch does not contain, also in other scripts', (t) => {
  const lines = Array.from(
    { length: 700 },
    (_, i) => `SwiftCompile normal arm64 /Users/ci/Module${i}/File.swift 완료\n`,
  );
  const stretch = Buffer.from(lines.join(''));
  t.ok(allows(stretch, 'MODULE699/'));
  t.ok(allows(stretch, '완료'));
  for (const text of ['notarytool', 'exit code 65', '오류', 'エラー', 'échec', 'Undefined symbol']) {
    t.notOk(allows(stretch, text), text);
  }
  t.end();
});

t.test('a text of fewer than three bytes, or of ambiguous letters only, may stand anywhere', (t) => {
  for (const text of ['', 'a', 'ab', 'é', 'éÉ', 'ßki', '\ufffd\ufffd']) t.same(trigramsOf(text), [], text);
  t.equal(trigramsOf('abc').length, 1);
  t.equal(trigramsOf('語').length, 1);
  t.ok(mayHold(trigramFilter(Buffer.from('nothing\n'), MOST), trigramsOf('ab')));
  t.end();
});

t.test('a filter is only as large as needed, and within its limit', (t) => {
  const sizeOf = (stretch: Buffer, most = MOST) => trigramFilter(stretch, most).length;
  t.equal(sizeOf(Buffer.from('ok\n')), 256);
  t.equal(sizeOf(Buffer.from('the same line\n'.repeat(5_000))), 256);
  const base64 = Buffer.from(randomBytes(48 * 1024).toString('base64'));
  t.equal(sizeOf(base64), 8192);
  t.equal(sizeOf(base64, 1_000), 0, 'none when it would be full');
  t.equal(sizeOf(Buffer.from('abc'.repeat(50)), 300), 256);
  t.equal(sizeOf(Buffer.from('ok\n'), 0), 0);
  t.end();
});
