// Lines taken from the bytes of a log.
import fc from 'fast-check';
import t from 'tap';
import { readLines } from '../../control-plane/platform/blobs/log-lines.js';

async function* piecesOf(log: Buffer, piece: number, seen = { bytes: 0 }) {
  for (let at = 0; at < log.length; at += piece) {
    seen.bytes = at + piece;
    yield log.subarray(at, at + piece);
  }
}

t.test('lines equal those of a plain split for any chunking of the bytes', async (t) => {
  const part = fc.constantFrom('a', 'long line', 'é', '\n', '\r\n', '\r', '\n\n');
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      async (parts, piece, count, lineBytes) => {
        const log = parts.join('');
        const all = log.split('\n').map((line, i, { length }) => ({ line, ended: i < length - 1 }));
        if (all.at(-1)?.line === '') all.pop();
        const expected = all.slice(0, count).map(({ line, ended }, i) => {
          const bytes = Buffer.from(ended ? line.replace(/\r$/, '') : line);
          return {
            number: 7 + i,
            text: bytes.subarray(0, lineBytes).toString('latin1'),
            cut: bytes.length > lineBytes,
          };
        });
        const page = { first: 7, count, lineBytes, pageBytes: 1_000_000 };
        const lines = await readLines(piecesOf(Buffer.from(log), piece), page);
        t.same(
          lines.map(({ number, bytes, cut }) => ({ number, text: bytes.toString('latin1'), cut })),
          expected,
        );
      },
    ),
    { numRuns: 500 },
  );
});

t.test('reading stops when the page is complete', async (t) => {
  const seen = { bytes: 0 };
  const long = Buffer.concat([Buffer.alloc(1_000_000, 'x'), Buffer.from('\nend\n')]);
  const page = { first: 1, count: 1, lineBytes: 100, pageBytes: 1_000_000 };
  t.match(await readLines(piecesOf(long, 1_000, seen), page), [{ number: 1, cut: true }]);
  t.equal(seen.bytes, 1_000, 'the rest of a long line');
  const lines = Buffer.alloc(1_000_000, 'line\n');
  t.equal((await readLines(piecesOf(lines, 1_000, seen), { ...page, count: 10 })).length, 10);
  t.equal(seen.bytes, 1_000);
});
