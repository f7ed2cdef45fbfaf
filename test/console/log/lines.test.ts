// Parts of the log viewer that know lines by their numbers: the address, groups, folds, loaded chunks.
import fc from 'fast-check';
import t from 'tap';
import { shownText } from '../../../control-plane/console/log/ansi.js';
import { createChunks } from '../../../control-plane/console/log/chunks.js';
import { createRows, unfolded } from '../../../control-plane/console/log/folds.js';
import { groupAt, groupEnd } from '../../../control-plane/console/log/groups.js';
import { extendedTo, formatRange, isIn, parseRange } from '../../../control-plane/console/log/ranges.js';
import { timeText } from '../../../control-plane/console/log/times.js';

t.test('ranges in the address', async (t) => {
  const ranges: [string, [number, number] | null][] = [
    ['#L10', [10, 10]],
    ['#L10-L20', [10, 20]],
    ['#L10-20', [10, 20]],
    ['#L20-L10', [10, 20]],
    ['L7', [7, 7]],
    ['#L0', null],
    ['#L', null],
    ['#L1-', null],
    ['#L1.5', null],
    ['#l1', null],
    ['#L9999999999', null],
    ['#token', null],
    ['', null],
  ];
  for (const [text, found] of ranges) {
    t.same(parseRange(text), found && { first: found[0], last: found[1] }, text);
  }
  t.equal(formatRange({ first: 10, last: 20 }), '#L10-L20');
  t.equal(formatRange({ first: 10, last: 10 }), '#L10');
  t.same(extendedTo(10, 4), { first: 4, last: 10 });
  t.ok(isIn({ first: 4, last: 10 }, 4) && isIn({ first: 4, last: 10 }, 10));
  t.notOk(isIn({ first: 4, last: 10 }, 11) || isIn(null, 1));
});

const xcode = "CompileSwift normal arm64 /a/B.swift (in target 'App' from project 'Shop')";

t.test('where groups begin', async (t) => {
  const lines: [string, string | null][] = [
    ['##[group]Run tests', 'actions'],
    ['::group::Run tests', 'actions'],
    [' ::group::indented', null],
    ['--- Install', 'buildkite'],
    ['+++ :xcode: Tests', 'buildkite'],
    ['~~~ Cleanup', 'buildkite'],
    ['---', null],
    ['-----', null],
    ['--- a/App/Cart.swift', null],
    ['+++ b/App/Cart.swift', null],
    ['+++ "b/App/Cart.swift"', null],
    ['--- /dev/null', null],
    ['--- FAIL: TestCart (0.00s)', null],
    [xcode, 'xcode'],
    ["Ld /a/App normal (in target 'App' from project 'Shop')", null],
    ["CodeSign /a/App.app (in target 'App' from project 'Shop')", 'xcode'],
    ['note: something', null],
    ['', null],
  ];
  for (const [text, kind] of lines) t.equal(groupAt(text), kind, text);
});

t.test('where groups end, and what has to be loaded to know it', async (t) => {
  const end = (texts: readonly (string | null)[], line = 1) =>
    groupEnd({ total: texts.length, textOf: (n) => texts[n - 1] ?? null }, line);
  t.same(end(['##[group]A', 'x', '##[endgroup]', 'y']), { found: true, last: 3 });
  t.same(end(['::group::A', 'x', '::group::B']), { found: true, last: 2 }, 'a new one ends it');
  t.same(end(['::group::A', 'x', 'y']), { found: true, last: 3 }, 'or the end of the log');
  const nested = ['::group::A', 'x', '::group::B', 'y', '::endgroup::', 'z', '::endgroup::', 'w'];
  t.same(end(nested), { found: true, last: 7 }, 'one in another');
  t.same(end(nested, 3), { found: true, last: 5 }, 'the inner one');
  const twice = ['::group::A', ...nested.slice(2, 5), ...nested.slice(2, 5), '::endgroup::', 'w'];
  t.same(end(twice), { found: true, last: 8 }, 'two in another');
  t.same(end(['::group::A', '::group::B', 'x', '::endgroup::', 'y']), { found: true, last: 1 }, 'never ended');
  t.same(end(['--- A', 'x', '::group::B', '+++ C']), { found: true, last: 3 });
  t.same(end([xcode, '    cd /a', '    swiftc', '', 'Ld …']), { found: true, last: 3 });
  t.same(
    end([xcode, '    cd /a', '/a/B.swift:1:1: error: no', '    let x']),
    { found: true, last: 2 },
    'errors of a command stay visible',
  );
  t.same(end(['::group::A', 'x', null, '::endgroup::']), { found: false, missing: 3 });
  t.same(end(['no group', 'x']), { found: true, last: 1 });
});

t.test('rows of folded groups agree with counting them one by one', async (t) => {
  const fold = fc.record({
    header: fc.integer({ min: 1, max: 30 }),
    length: fc.integer({ min: 0, max: 12 }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fold, { maxLength: 5 }), (total, found) => {
      const folds = found.map(({ header, length }) => ({ header, last: header + length }));
      const isHidden = (line: number) => folds.some(({ header, last }) => line > header && line <= last);
      const visible = Array.from({ length: total }, (_, i) => i + 1).filter((line) => !isHidden(line));
      const rows = createRows(total, folds);
      t.equal(rows.count, visible.length);
      t.same(
        visible.map((_, row) => rows.lineAt(row)),
        visible,
      );
      for (let line = 1; line <= total; line++) {
        const shown = visible.findLastIndex((each) => each <= line);
        t.equal(rows.rowOf(line), shown, `line ${line} of ${total}`);
        t.notOk(unfolded(folds, line).some(({ header, last }) => line > header && line <= last));
      }
    }),
    { numRuns: 60 },
  );
  t.equal(createRows(100, [{ header: 10, last: 20 }]).hiddenBelow(10), 10);
});

t.test('chunks: colors go on, lines far from the window are dropped, gaps are known', async (t) => {
  const chunks = createChunks({ size: 10, mostChars: 250 });
  const line = (n: number, text = `line ${n}`) => ({ n, text });
  const put = (from: number, to: number, text?: string) =>
    chunks.put(
      Array.from({ length: to - from + 1 }, (_, i) => line(from + i, text)),
      from,
    );
  put(11, 20);
  t.equal(chunks.missingIn(1, 1_000), null);
  t.equal(chunks.missingIn(0, 1_000), 1);
  t.equal(chunks.missingIn(2, 25), 21);
  t.equal(chunks.missingIn(2, 20), null, 'the log has no such lines');
  t.same(chunks.read(11)?.runs, [{ text: 'line 11', style: {} }]);
  put(1, 9);
  t.equal(chunks.missingIn(0, 1_000), 10);
  chunks.put([line(10, '\x1b[31mred')], 1);
  t.same(chunks.read(11)?.runs, [{ text: 'line 11', style: { fg: 1 } }], 'the color of the line before');
  t.same(chunks.read(20)?.runs[0]?.style, { fg: 1 });
  chunks.put([line(12, '\x1b[0mplain')], 1);
  t.same(chunks.read(13)?.runs[0]?.style, {});
  put(901, 940);
  t.equal(chunks.get(1), null, 'far away');
  t.equal(chunks.get(905)?.text, 'line 905');
  chunks.clear();
  t.equal(chunks.read(905), null);
  chunks.put([{ n: 5, text: 'half', open: true as const }], 1);
  chunks.put([line(5, 'half and whole')], 1);
  t.equal(shownText(chunks.read(5) ?? { runs: [], end: {} }), 'half and whole');
});

t.test('chunks: colors are known however the lines come; a line is parsed when there is time', async (t) => {
  const chunks = createChunks({ size: 3, mostChars: 10_000 });
  const texts = ['\x1b[31ma', 'b', '\x1b[1mc', 'd', '\x1b[0me', 'f', '\x1b[34mg', 'h'];
  const put = (n: number, text = texts[n - 1] ?? '') => chunks.put([{ n, text }], n);
  const styles = () => texts.map((_, i) => chunks.read(i + 1)?.runs[0]?.style);
  const red = { fg: 1 };
  const whole = [red, red, { ...red, bold: true }, { ...red, bold: true }, {}, {}, { fg: 4 }, { fg: 4 }];
  for (const n of [8, 1, 5, 3, 2, 7, 6, 4]) {
    put(n);
    styles();
  }
  t.same(styles(), whole);
  put(3, 'c');
  t.same(styles(), [red, red, red, red, ...whole.slice(4)], 'also in the next chunk');
  put(2, 'other');
  t.equal(chunks.read(2, false), null, 'later');
  t.same(chunks.read(2)?.runs, [{ text: 'other', style: red }]);
  t.equal(chunks.read(2, false), chunks.read(2), 'parsed once');
});

t.test('the column of times', async (t) => {
  const start = '2026-01-01T00:00:00.000Z';
  const elapsed = (at: string) => timeText('elapsed', at, start);
  t.equal(elapsed('2026-01-01T00:00:00.040Z'), '0:00.0');
  t.equal(elapsed('2026-01-01T00:01:05.250Z'), '1:05.3');
  t.equal(elapsed('2026-01-01T01:01:05.960Z'), '1:01:06.0');
  t.equal(elapsed('2025-12-31T23:59:58.000Z'), '-0:02.0', 'before the start');
  t.equal(timeText('off', start, start), '');
  t.equal(timeText('clock', null, start), '');
  t.match(timeText('clock', '2026-01-01T12:34:56.789Z', start), /^\d\d:34:56\.789$/);
  t.match(timeText('elapsed', start, null), /^\d\d:00:00\.000$/, 'without a start the time of day');
});
