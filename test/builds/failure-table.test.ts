// The table of failures row by row, and the search through whole logs: what it finds, however the log comes.
// Runs in: soak

import fc from 'fast-check';
import t from 'tap';
import { hostileLines } from '../../bench/hostile-lines.js';
import { suggestionOf } from '../../control-plane/builds/domain/failure-finding.js';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { rank } from '../../control-plane/builds/domain/failure-row.js';
import { createFailureScan } from '../../control-plane/builds/domain/failure-scan.js';
import { failureTable, milestones } from '../../control-plane/builds/domain/failure-table.js';
import { compileWords, wordText } from '../../control-plane/builds/domain/word-filter.js';
import { adviceOf } from '../../shared/messages/failure-advice.js';
import { anyCharacter } from '../harness/any-character.js';
import { cases } from '../harness/soak.js';
import { GREEN, logs, WORK } from './failure-logs.js';
import { page, writtenPage } from './failure-page.js';

const find = (log: string, exitCode = 65, pieces = [log.length], firstLine = 1) => {
  const scan = createFailureScan(firstLine);
  const bytes = Buffer.from(log);
  let at = 0;
  for (const length of pieces) {
    scan.read(bytes.subarray(at, at + length));
    at += length;
  }
  scan.read(bytes.subarray(at));
  return scan.end(exitCode, WORK);
};
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/u;
const TESTING = "Test Suite 'All tests' started at 2026-03-01 10:00:00.000.\n";
/** The exit code with which the reason of a row applies. */
const exitCodeOf = (reason: string) => ({ killed: 137, command_not_found: 127, not_executable: 126 })[reason] ?? 65;

t.test('every row is the first that fits its own example, and finds it', async (t) => {
  const examples = failureTable.map((row) => row.example);
  t.equal(new Set(examples).size, examples.length, 'no example twice');
  for (const row of failureTable) {
    const [line = '', ...rest] = row.example.split('\n');
    const could = failureTable.filter((other) => other.during === undefined || other.during === row.during);
    t.equal(
      could.find((other) => other.pattern.test(line) && (other === row || !other.more?.required)),
      row,
      `first for: ${line}`,
    );
    const begun = row.during === 'tests' ? TESTING : '';
    const words = row.words.filter((word) => line.toLowerCase().includes(word));
    t.ok(words.length > 0 && row.words.every((word) => word === word.toLowerCase()), `by its words: ${line}`);
    for (const log of [
      `${begun}before\n${row.example}\nafter\n`,
      `${begun}before\r\n${row.example.replaceAll('\n', '\r\n')}\r\nafter`,
      `${begun}10%\r50%\r${row.example}\nafter\n`,
      `${begun}before\n[12:00:01]: ${row.example}\nafter\n`,
    ]) {
      const found = find(log, exitCodeOf(row.reason));
      t.equal(found?.reasonCode, row.reason, line);
      const advice = adviceOf(suggestionOf(row, found?.location !== null));
      t.match(found, { suggestion: advice.text, messages: { suggestion: advice } });
      t.ok(found?.summary.endsWith(found.messages?.summary.text ?? '-'), 'the place comes before the message');
      const [first = 0, last = 0] = found?.logExcerptLines ?? [];
      const excerpt = log
        .split('\n')
        .slice(first - 1, last)
        .join('\n');
      t.ok(
        excerpt.includes(line) && rest.every((more) => !row.more || excerpt.includes(more) || rest.indexOf(more) > 0),
      );
      t.notOk(found?.summary.includes(WORK), 'without the path of the work folder');
      t.ok(last - first < 20, 'no more than the failure card shows');
    }
  }
});

t.test('colors around and inside the line change nothing', async (t) => {
  for (const row of failureTable) {
    const [line = '', ...rest] = row.example.split('\n');
    const begun = row.during === 'tests' ? TESTING : '';
    const plain = find(`${begun}${row.example}\n`, exitCodeOf(row.reason));
    const bold = `\x1b[0;1m${line}\x1b[0m`;
    // As clang and swift do it: the kind of the message in a color of its own.
    const kind = line.replace(/(fatal error|error)(: ?)/i, '\x1b[0;1;31m$1$2\x1b[0m\x1b[1m');
    const word = line.replace(/(fatal error|error):/i, '\x1b[31m$1\x1b[0m:');
    for (const colored of [bold, kind, word]) {
      t.same(find(`${begun}${[colored, ...rest].join('\n')}\n`, exitCodeOf(row.reason)), plain, colored);
    }
  }
});

t.test('every suggestion is a sentence, every reason of the table is in the catalog', async (t) => {
  for (const { suggestion, reason } of failureTable) {
    if (suggestion !== undefined) t.match(adviceOf(suggestion).text, /^\S.*\.$/s);
    t.ok(failureReasons[reason]);
  }
  for (const { example, pattern, words } of milestones) {
    t.match(example, pattern);
    t.ok(words.some((word) => example.toLowerCase().includes(word)));
  }
});

t.test('a log without a failure has no finding, even if it quotes one', async (t) => {
  t.equal(find(GREEN), null);
  t.equal(find(GREEN.replaceAll('\n', '\r\n')), null);
  t.equal(find(''), null);
});

t.test('complete logs of failed builds: the first real cause is found, not its last consequence', async (t) => {
  for (const { name, log, exitCode = 65, expect, cause } of logs) {
    const found = find(log, exitCode);
    t.match(found, expect, name);
    if (cause === undefined) continue;
    const lines = log.split('\n');
    const [first = 0, last = 0] = found?.logExcerptLines ?? [];
    t.ok(
      lines.slice(first - 1, last).some((line) => line.includes(cause)),
      `${name}: the excerpt holds the cause`,
    );
  }
});

t.test('successful output before a failure changes only line numbers', async (t) => {
  const lines = GREEN.split('\n').length - 1;
  for (const { name, log, exitCode = 65 } of logs) {
    const alone = find(log, exitCode);
    const after = find(`${GREEN}${log}`, exitCode);
    t.match(after, alone && { reasonCode: alone.reasonCode, location: alone.location }, name);
    t.equal(after?.logExcerptLines?.[1], alone?.logExcerptLines && alone.logExcerptLines[1] + lines);
  }
});

t.test('the finding does not depend on how the log was split', async (t) => {
  for (const { log, exitCode = 65 } of logs) {
    const whole = find(log, exitCode);
    t.same(find(log, exitCode, Array(Buffer.byteLength(log)).fill(1)), whole, 'byte by byte');
    fc.assert(
      fc.property(fc.array(fc.nat(200)), (pieces) => t.matchOnly(find(log, exitCode, pieces), whole)),
      { numRuns: 20 },
    );
  }
});

t.test('lines are counted as in the stored log, from where the attempt began', async (t) => {
  const log = "building\nApp/Cart.swift:3:1: error: expected '}'\n}\n";
  t.same(find(log, 65, [], 41)?.logExcerptLines, [41, 43]);
  t.same(find(`${'x\n'.repeat(50)}[cidermill] 900 bytes left out here\n${log}`)?.logExcerptLines, [51, 54]);
  t.same(find(log.trimEnd())?.logExcerptLines, [1, 3], 'the last line without an end counts');
});

t.test('locations are below the work folder, or absent', async (t) => {
  const at = (file: string) => find(`${file}:3:1: error: oops\n`)?.location?.file ?? null;
  const table: [string, string | null][] = [
    [`${WORK}/App/Cart.swift`, 'App/Cart.swift'],
    [`/private${WORK}/App/Cart.swift`, 'App/Cart.swift'],
    [`${WORK}/App/../Lib/./Cart.swift`, 'Lib/Cart.swift'],
    ['./App/Cart.swift', 'App/Cart.swift'],
    ['App/Größe Ü.swift', 'App/Größe Ü.swift'],
    [`${WORK}/../home/Cart.swift`, null],
    ['../Cart.swift', null],
    ['/Users/somebody/Cart.swift', null],
    [`${WORK}-other/Cart.swift`, null],
    ['/Applications/Xcode.app/Contents/Developer/usr/lib/Foo.swift', null],
  ];
  for (const [file, expected] of table) t.equal(at(file), expected, file);
  const own = `/tmp/DerivedData/App/X.swift:1:1: error: first\n${WORK}/Pods/P/Y.m:2:1: error: second\n${WORK}/App/Z.swift:3:1: error: third\n`;
  t.match(find(own), { location: { file: 'App/Z.swift' } }, 'own code before what was fetched');
  t.match(find(own.split('App/Z')[0] ?? ''), { summary: /first/ });
});

t.test('without a location no suggestion refers to one', async (t) => {
  for (const file of ['/Users/somebody/Cart.swift', '../Cart.swift', 'ios says /opt/sdk/Cart.swift']) {
    const found = find(`${file}:3:1: error: oops\n`);
    t.match(found, { location: null, summary: 'oops', reasonCode: 'compile_error' }, file);
    t.equal(found?.suggestion, 'Fix the compile error that the log shows, then build again.');
  }
  for (const { reason, suggestion, elsewhere } of failureTable) {
    const said = adviceOf(suggestion === undefined ? failureReasons[reason].elsewhere : (elsewhere ?? suggestion)).text;
    t.notMatch(said, /location shown|at this place/);
  }
});

t.test('text from a log is shown without invisible characters', async (t) => {
  const hidden = '\u202e\u202a\u2066\u2069\u200b\u200f\ufeff\u{e0041}\u{e0100}\u00ad\u115f\x07\x08\x9b\u2028';
  const found = find(`App/Ca${hidden}rt.swift:3:1: error: ${hidden}cannot ${hidden}find${hidden}\n`);
  t.match(found, {
    summary: 'App/Ca rt.swift:3: cannot find',
    location: { file: 'App/Ca rt.swift', message: 'cannot find' },
  });
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      const told = find(`App/Cart.swift:3:1: error: a${text.replaceAll('\n', '')}\n`);
      const all = `${told?.summary}${told?.location?.message}${told?.location?.file}`;
      return told !== null && !HIDDEN.test(all);
    }),
  );
});

t.test('very long and overwritten lines take bounded memory', async (t) => {
  const long = 'x'.repeat(3_000_000);
  const found = find(`${long}\nApp/Cart.swift:3:1: error: ${long}\n`);
  t.match(found, { location: { file: 'App/Cart.swift', line: 3 }, logExcerptLines: [1, 2] });
  t.equal(found?.summary.length, 600);
  t.ok((found?.location?.message.length ?? 0) <= 400);
  t.equal(find(`${long} error: far behind in a line\n`), null);
  t.match(find(`${'progress 10%\r'.repeat(100_000)}fatal: nothing works\n`, 1), { logExcerptLines: [1, 1] });
});

t.test('adversarial lines take no longer than others', async (t) => {
  // One pattern that is worse than linear would make this test run for minutes.
  const lines = hostileLines();
  for (const { pattern } of failureTable) for (const line of lines) pattern.test(line);
  t.ok(lines.length > 1000);
});

t.test('the word filter finds what a plain search finds, wherever it begins', async (t) => {
  const letters = fc.constantFrom('a', 'b', 'é', ':');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: letters, minLength: 3, maxLength: 7 }), { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'B', 'é', ':', 'A', '\n'), maxLength: 60 }),
      fc.nat(20),
      fc.nat(20),
      (words, before, skip, cut) => {
        const filter = compileWords(words);
        const size = Buffer.byteLength(before);
        const text = wordText(size);
        text.bytes.write(before);
        const [from, to] = [Math.min(skip, size), Math.max(skip, size - cut)];
        const part = text.bytes.toString('latin1', from, to).replaceAll('A', 'a').replaceAll('B', 'b');
        const places = words.map((word) => part.indexOf(Buffer.from(word).toString('latin1')));
        const there = places.flatMap((place, word) => (place < 0 ? [] : [word]));
        t.same(filter.within(text, from, to).sort(), there);
        const first = filter.first(text, from, to);
        t.equal(first >= 0, there.length > 0);
        const lines = text.bytes.toString('latin1', from, Math.max(from, first)).split('\n').length;
        const earliest = Math.min(...places.filter((place) => place >= 0));
        if (first >= 0) t.equal(lines, part.slice(0, earliest).split('\n').length, 'in the first line with one');
      },
    ),
    { numRuns: cases(150) },
  );
  t.throws(() => compileWords(['ab']), RangeError);
});

t.test('docs/failures.md shows the table as it is, and every rank', async (t) => {
  t.equal(page(), writtenPage(), 'or: npm run compile && node dist/test/builds/failure-page.js');
  for (const name of Object.keys(rank)) t.match(page(), new RegExp(`^\\| ${name} \\| [a-z]`, 'm'));
});
