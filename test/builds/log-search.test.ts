// Searching a log, and taking colors out of it: the result never depends on how the bytes are cut into pieces.
import fc from 'fast-check';
import t from 'tap';
import { createLogSearch, type SearchOptions } from '../../control-plane/builds/domain/log-search.js';
import { createEscapeStripper, withoutEscapes } from '../../shared/escape-stripper.js';

const BOUNDS = { from: 1, count: 1_000, lineChars: 1_000, pageChars: 1_000_000 };

function search(bytes: Buffer, options: Partial<SearchOptions> & { text: string }, piece = bytes.length) {
  const found = createLogSearch({ ...BOUNDS, ...options });
  for (let at = 0; at < bytes.length; at += piece) found.read(bytes.subarray(at, at + piece));
  return found.end();
}

/** The lines of a text, computed in the simplest way. */
const linesOf = (text: string) => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

t.test('finds the same lines as a search line by line, for any division into pieces', async (t) => {
  const word = fc.constantFrom('Error', 'eRRor', 'é', 'É', '語', '\x1b[31m', '\x1b[0m', '\x1b]0;a', '\r', 'x', ' ');
  const text = fc
    .array(fc.oneof(word, fc.constantFrom('\n', '\r\n')), { maxLength: 80 })
    .map((parts) => parts.join(''));
  const wanted = fc.constantFrom('error', 'ERROR x', 'é', '語x', 'x', 'rr');
  fc.assert(
    fc.property(
      text,
      wanted,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 8 }),
      (log, text, piece, from) => {
        const all = linesOf(log);
        const expected = all.flatMap((line, i) => {
          const before = all.slice(0, i).map((earlier) => `${earlier}\n`);
          const start = Buffer.byteLength(before.join(''));
          return withoutEscapes(line).toLowerCase().includes(text.toLowerCase())
            ? [{ n: i + 1, start, text: line.replace(/\r$/, ''), cut: false }]
            : [];
        });
        const found = search(Buffer.from(log), { text, from }, piece);
        t.same(
          found.matches,
          expected.filter(({ n }) => n >= from),
        );
        t.equal(found.total, expected.length);
        t.equal(found.next, null);
      },
    ),
    { numRuns: 500 },
  );
});

t.test('pages end at their count or size, and name the line that goes on', async (t) => {
  const log = Buffer.from(Array.from({ length: 100 }, (_, i) => `${i % 2 ? 'hit' : 'miss'} ${i + 1}\n`).join(''));
  const pages: number[][] = [];
  for (let from: number | null = 1; from !== null; ) {
    const { matches, total, next }: ReturnType<typeof search> = search(log, { text: 'HIT', from, count: 7 });
    t.equal(total, 50);
    pages.push(matches.map(({ n }) => n));
    from = next;
  }
  t.equal(pages.length, 8);
  t.same(
    pages.flat(),
    Array.from({ length: 50 }, (_, i) => 2 * i + 2),
  );
  t.match(search(log, { text: 'hit', pageChars: 10 }), { matches: [{ n: 2 }, { n: 4 }], next: 6 });
});

t.test('very long lines are searched whole, counted once, and shown around the match', async (t) => {
  const long = `${'a'.repeat(3_000_000)}Needle${'b'.repeat(2_000_000)}needle`;
  const log = Buffer.from(`first needle\n${long}\r\nno\nlast needle`);
  for (const piece of [log.length, 256 * 1024, 100_003]) {
    const { matches, total } = search(log, { text: 'nEEdle' }, piece);
    t.same(
      matches.map(({ n, cut }) => [n, cut]),
      [
        [1, false],
        [2, true],
        [4, false],
      ],
      `in pieces of ${piece}`,
    );
    t.equal(total, 3);
    t.equal(matches[1]?.text.length, 1_000);
    t.match(matches[1]?.text, /a{100}Needleb{100}/);
  }
});

t.test('invalid UTF-8 does not hide its line', async (t) => {
  const log = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('bad é\n'), Buffer.from([0xe2, 0x82])]);
  t.match(search(log, { text: 'BAD' }).matches, [{ n: 1, text: '\ufffd\ufffdbad é' }]);
  t.match(search(log, { text: 'É' }).matches, [{ n: 1 }]);
});

t.test('colors are taken out of a stream, however it is cut', async (t) => {
  const part = fc.constantFrom(
    ...['\x1b[31m', '\x1b[1;31m', '\x1b[0m', '\x1b]0;title\x07', '\x1b]8;;http://a\x1b\\', '\x1b]0;open'],
    ...['\x1b', '\x1b[', 'text', 'é', '\n', '\r\n', '[0m', '\x1bM', ';'],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (parts, piece) => {
      const log = Buffer.from(parts.join(''));
      const stripper = createEscapeStripper();
      const out: Buffer[] = [];
      for (let at = 0; at < log.length; at += piece) out.push(stripper.write(log.subarray(at, at + piece)));
      out.push(stripper.end());
      t.equal(Buffer.concat(out).toString(), withoutEscapes(log.toString()));
    }),
    { numRuns: 2_000 },
  );
});

t.test('an endless escape sequence is treated as text', async (t) => {
  const stripper = createEscapeStripper();
  const out = [stripper.write(Buffer.from('\x1b]0;'))];
  for (let i = 0; i < 100; i++) out.push(stripper.write(Buffer.alloc(1_000, 'x')));
  const length = Buffer.concat(out).length;
  t.ok(length > 90_000, `${length} bytes have come out before the end`);
});
