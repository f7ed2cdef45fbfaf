// Search in the viewer: matches in windows, marks in a line, links beside them.
import fc from 'fast-check';
import t from 'tap';
import { readLine } from '../../../control-plane/console/log/ansi.js';
import { withLinks } from '../../../control-plane/console/log/links.js';
import { marksIn, openMatches } from '../../../control-plane/console/log/matches.js';
import { lengthOf, piecesOf } from '../../../control-plane/console/log/pieces.js';

t.test('next and previous agree with all matches, however few a page has', async (t) => {
  const lines = 20_000;
  const matching = fc
    .uniqueArray(fc.integer({ min: 1, max: lines }), { maxLength: 60 })
    .map((all) => all.sort((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(
      matching,
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: lines }), fc.boolean()), { maxLength: 8 }),
      async (all, size, steps) => {
        let requests = 0;
        const matches = await openMatches(
          async (from) => {
            requests++;
            const rest = all.filter((line) => line >= from);
            return {
              lines: rest.slice(0, size),
              total: all.length,
              before: all.length - rest.length,
              next: rest[size] ?? null,
            };
          },
          () => lines,
        );
        t.equal(matches.total(), all.length);
        for (const [line, forward] of steps) {
          const wanted = forward
            ? (all.find((each) => each > line) ?? all[0])
            : (all.findLast((each) => each < line) ?? all.at(-1));
          const found = await (forward ? matches.after(line) : matches.before(line));
          t.same(found, wanted === undefined ? null : { line: wanted, ordinal: all.indexOf(wanted) + 1 });
        }
        t.ok(requests < 400);
      },
    ),
    { numRuns: 60 },
  );
});

t.test('a log that grows has more matches at the next step', async (t) => {
  let all = [10, 20];
  let lines = 25;
  const read = async (from: number) => {
    const rest = all.filter((line) => line >= from);
    return { lines: rest, total: all.length, before: all.length - rest.length, next: null };
  };
  const matches = await openMatches(read, () => lines);
  t.same(await matches.after(10), { line: 20, ordinal: 2 });
  all = [10, 20, 30];
  lines = 35;
  t.same(await matches.after(20), { line: 30, ordinal: 3 }, 'not the first one again');
  t.equal(matches.total(), 3);
  all = [10, 20, 30, 40];
  lines = 45;
  t.same(await matches.before(10), { line: 40, ordinal: 4 }, 'the last one of the log as it is now');
});

t.test('a rare match far above is found with few requests', async (t) => {
  let requests = 0;
  const matches = await openMatches(
    async (from) => {
      requests++;
      const lines = from <= 5 ? [5, 900_000] : from <= 900_000 ? [900_000] : [];
      return { lines, total: 2, before: 2 - lines.length, next: null };
    },
    () => 1_000_000,
  );
  t.same(await matches.before(899_999), { line: 5, ordinal: 1 });
  t.same(await matches.before(5), { line: 900_000, ordinal: 2 }, 'and on from the end');
  t.same(await matches.before(1), { line: 900_000, ordinal: 2 });
  t.same(await matches.after(900_000), { line: 5, ordinal: 1 });
  t.ok(requests <= 5, `${requests}`);
});

t.test('marks ignore case', async (t) => {
  t.same(marksIn('Error: an ERROR', 'error'), [
    [0, 5],
    [10, 15],
  ]);
  t.same(marksIn('aaaa', 'aa'), [
    [0, 2],
    [2, 4],
  ]);
  t.same(marksIn('x', ''), []);
  t.same(marksIn('İerror', 'error'), [], 'a letter that is longer in lower case');
});

t.test('links: https only, without the punctuation around them', async (t) => {
  const links: [string, string | null][] = [
    ['see https://a.b/c.', 'https://a.b/c'],
    ['(https://a.b/c)', 'https://a.b/c'],
    ['https://a.b/c_(d)', 'https://a.b/c_(d)'],
    ['[https://a.b/x?y=1&z=2#f],', 'https://a.b/x?y=1&z=2#f'],
    ['"https://a.b"', 'https://a.b'],
    ['http://a.b', null],
    ['javascript:alert(1)', null],
    ['https://', null],
    ['https://.', null],
    ['ftp://https//', null],
    [`https://a.b/${'x'.repeat(3_000)}`, null],
  ];
  for (const [text, href] of links) {
    const pieces = withLinks(text);
    t.equal(pieces.map((piece) => piece.text).join(''), text);
    t.same(
      pieces.flatMap((piece) => piece.href ?? []),
      href === null ? [] : [href],
      text.slice(0, 60),
    );
  }
});

const ALL = { chars: 10_000, pieces: 10_000 };

t.test('pieces: colors, links and marks cut across each other, and no text is lost', async (t) => {
  const line = readLine('a \x1b[31mhttps://a.b/er\x1b[1mror\x1b[0m 한 error');
  const pieces = piecesOf(line, 'error', ALL);
  t.equal(pieces.map(({ text }) => text).join(''), 'a https://a.b/error 한 error');
  t.same(
    pieces.filter(({ isMark }) => isMark).map(({ text, href }) => [text, href]),
    [
      ['er', 'https://a.b/error'],
      ['ror', 'https://a.b/error'],
      ['error', undefined],
    ],
  );
  t.same(
    pieces.filter(({ isWide }) => isWide).map(({ text }) => text),
    ['한'],
  );
  t.equal(
    piecesOf(line, '', { ...ALL, chars: 10 })
      .map(({ text }) => text)
      .join(''),
    'a https://',
    'cut',
  );
  const html = piecesOf(readLine('<img src=x onerror=alert(1)>'), '', ALL);
  t.same(
    html.map(({ text }) => text),
    ['<img src=x onerror=alert(1)>'],
    'text, never markup',
  );
});

t.test('wide characters are aligned in lines that have few of them', async (t) => {
  const widths = (line: string) => piecesOf(readLine(line), '', ALL).map(({ text, isWide }) => [text, isWide]);
  t.same(widths(`a${'한'.repeat(60)}`), [
    ['a', false],
    ['한'.repeat(60), true],
  ]);
  t.same(widths(`a${'한'.repeat(61)}`), [
    ['a', false],
    ['한'.repeat(61), false],
  ]);
});

t.test('brackets around a link are not part of it, however many', async (t) => {
  for (const [text, href] of [
    ['(https://a.b/c)', 'https://a.b/c'],
    ['[(https://a.b/c(d)[e])].', 'https://a.b/c(d)[e]'],
    [`https://a.b/(${')'.repeat(1_000)}`, 'https://a.b/()'],
    [`https://a.b/${'a)'.repeat(800)}`, `https://a.b/${'a)'.repeat(799)}a`],
  ] as const)
    t.equal(withLinks(text).find((piece) => piece.href)?.href?.length, href.length, text.slice(0, 40));
});

t.test('a line of nothing but colors, links and matches is cut, and read in no time', async (t) => {
  const text = Array.from({ length: 4_000 }, (_, i) => `\x1b[3${i % 8}ma`).join('');
  const line = readLine(text);
  t.equal(piecesOf(line, 'a', { chars: 2_000, pieces: 400 }).length, 400);
  const all = piecesOf(line, 'a', ALL);
  t.equal(lengthOf(all), 4_000);
  t.ok(all.every(({ isMark, text: piece }) => isMark && piece === 'a'));
  const links = piecesOf(readLine('https://a.b '.repeat(500)), 'b', ALL);
  t.equal(links.filter(({ href, isMark }) => href !== undefined && isMark).length, 500);
});
