// The streaming replacer without secrets: what is replaced, and what is released when, for any chunking.
// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { LONGEST_SEQUENCE } from '../../../host-agent/runner/mask/escape-sequence.js';
import { compile } from '../../../host-agent/runner/mask/finder.js';
import { createReplacer } from '../../../host-agent/runner/mask/replacer.js';
import { LONGEST_GAP } from '../../../host-agent/runner/mask/stream-views.js';
import { cases } from '../../harness/soak.js';
import { cut, masked, maskedPlainly, needleSet, replacerOf } from './mask-oracle.js';

const ESC = '\x1b';

/** name, needles, input, output */
type Case = readonly [name: string, needles: readonly string[], input: string, output: string];

const CASES: readonly Case[] = [
  ['nothing to find', [], 'plain text', 'plain text'],
  ['one needle', ['secret'], 'a secret b', 'a *** b'],
  ['needle alone', ['secret'], 'secret', '***'],
  ['needle of one byte', ['x'], 'axbxx', 'a***b***'],
  ['needle of two bytes', ['xy'], 'xxyxyy', 'x***y'],
  ['beginning at the end of the stream', ['secret'], 'a secre', 'a secre'],
  ['beginning that goes on otherwise', ['secret'], 'a secreT b', 'a secreT b'],
  ['needle begun inside a failed one', ['secret'], 'ssecrets', 's***s'],
  ['failed start before the needle', ['secret'], 'secrsecret', 'secr***'],
  ['needles without a gap make one mark', ['secret'], 'secretsecrets', '***s'],
  ['the same needle twice', ['secret'], 'secret secret', '*** ***'],
  ['self-overlap: aab', ['aab'], 'aaab aab', 'a*** ***'],
  ['self-overlap: abac', ['abac'], 'ababac', 'ab***'],
  ['self-overlap: abab', ['abab'], 'xabababaabx', 'x***aabx'],
  ['self-overlap: tok-tok-1', ['tok-tok-1'], 'tok-tok-tok-1', 'tok-***'],
  ['self-overlap: ababaca', ['ababaca'], 'abababaca', 'ab***'],
  ['self-overlap: equal bytes', ['aaaa'], 'aaaaa aaa', '*** aaa'],
  [
    'contained: shortest only',
    ['pass', 'password', 'password123'],
    'passwor password12 password123',
    '***wor ***12 ***',
  ],
  ['long needle fails after a short one inside it', ['abcdefgh', 'cde'], 'abcdefgX', 'ab***fgX'],
  ['long needle fails after a short one at its start', ['abcdefgh', 'abc'], 'abcdefgX', '***defgX'],
  ['tower of nested needles', ['d', 'cde', 'bcdef', 'abcdefg'], 'abcdef', 'a***'],
  ['common prefix', ['token-a', 'token-b'], 'token-b token-c', '*** token-c'],
  ['common suffix', ['a-token', 'b-token'], 'b-token c-token', '*** c-token'],
  ['overlapping pair', ['foobar', 'barbaz'], 'foobarbaz foobarba', '*** ***ba'],
  ['chain of three', ['abcd', 'cdef', 'efgh'], 'xabcdefghx', 'x***x'],
  ['line feed as it is', ['one\ntwo'], 'one\ntwo', '***'],
  ['line feed as CR LF', ['one\ntwo'], 'one\r\ntwo', '***'],
  ['line feed as CR CR LF', ['one\ntwo'], 'one\r\r\ntwo', '***'],
  ['line feed as a space', ['one\ntwo'], 'one two', '***'],
  ['line feed as tab, VT and FF', ['one\ntwo'], 'one\t\v\ftwo', '***'],
  ['CR LF as LF', ['one\r\ntwo'], 'one\ntwo', '***'],
  ['blank line inside', ['one\n\n\ntwo'], 'one\r\n\r\n\r\ntwo', '***'],
  ['no whitespace where the needle has some', ['one\ntwo'], 'onetwo', 'onetwo'],
  ['whitespace where the needle has none', ['onetwo'], 'one two', 'one two'],
  ['needle that begins and ends with whitespace', [' ab '], 'x  ab\r\ny', 'x***\ny'],
  ['long needle wrapped at a terminal width', ['0123456789abcdef'], '>>0123456\r\n789abcdef<<', '>>***<<'],
  ['long needle wrapped twice and indented', ['0123456789abcdef'], '01234\n  56789\n  abcdef', '***'],
  ['wrapped within the first symbols', ['0123456789abcdef'], '>>012\r\n3456789abcdef<<', '>>012\r\n***<<'],
  ['wrapped so that two views differ', ['0123456789abcdef', '56 78'], '0123456\n789abcdef', '***'],
  ['short needle over two lines', ['secret'], 'sec\nret', 'sec\nret'],
  ['color inside', ['secret'], `a sec${ESC}[31mret b`, 'a *** b'],
  ['color around stays', ['secret'], `${ESC}[1msecret${ESC}[0m`, `${ESC}[1m***${ESC}[0m`],
  ['color between all bytes', ['secret'], [...'secret'].join(`${ESC}[0;38;5;9m`), '***'],
  ['erase line inside, as grep does', ['secret'], `sec${ESC}[01;31m${ESC}[Kret`, '***'],
  ['character set and two-byte sequences inside', ['secret'], `se${ESC}(Bcr${ESC}7et`, '***'],
  ['window title inside', ['secret'], `sec${ESC}]0;title\x07ret sec${ESC}]0;t${ESC}\\ret`, '*** ***'],
  ['device control and privacy strings inside', ['secret'], `s${ESC}P1q${ESC}\\e${ESC}^x${ESC}\\cret`, '***'],
  ['cancelled sequence inside', ['secret'], `sec${ESC}[3\x18ret`, '***'],
  ['needle inside a hyperlink', ['secret'], `${ESC}]8;;https://secret@h${ESC}\\x`, `${ESC}]8;;https://***@h${ESC}\\x`],
  ['needle that begins inside a sequence', ['me too'], `${ESC}[31me too`, `${ESC}[31***`],
  ['needle inside and around a sequence', ['secret'], `sec${ESC}]0;secret\x07ret`, '***'],
  ['needle around a failed one with color', ['secret'], `sec${ESC}[msecret`, `sec${ESC}[m***`],
  ['broken sequence is text', ['secret'], `sec${ESC}[31\nmret`, `sec${ESC}[31\nmret`],
  ['title without an end is text', ['secret'], `sec${ESC}]0;ti secret\nret`, `sec${ESC}]0;ti ***\nret`],
  ['escape at the end', ['secret'], `sec${ESC}`, `sec${ESC}`],
  ['needle with an escape sequence', [`a${ESC}[1mb`], `xa${ESC}[1mby`, 'x***y'],
  ['whitespace interrupted by a color', ['one two'], `one ${ESC}[1m two`, '***'],
  ['color and wrap inside', ['0123456789abcdef'], `01${ESC}[1m2345\r\n${ESC}[0m6789abcdef`, '***'],
  ['long periodic needle', [`b${' ab'.repeat(21)} a`], `b${' ab'.repeat(22)} a`, '***'],
  [
    'long periodic needle, with line breaks and sequences inside',
    [`b${' ab'.repeat(21)} a`],
    `b${' ab'.repeat(10)} ${ESC}]\x07ab${'\nab'.repeat(10)} ab\na`,
    '***',
  ],
  [
    'long needle that breaks off late',
    ['0123456789'.repeat(20)],
    `${'0123456789'.repeat(19)}x`,
    `${'0123456789'.repeat(19)}x`,
  ],
  ['regular expression specials', ['.*+?()[]{}|^$'], 'a.*+?()[]{}|^$b', 'a***b'],
  ['replacement specials', ['$&$1$$'], 'a$&$1$$b', 'a***b'],
  ['NUL and high bytes', ['\0\xff\xfe\x80'], 'a\0\xff\xfe\x80b', 'a***b'],
  ['needle equal to the mark', ['***'], 'a***b', 'a***b'],
  ['needle inside the mark', ['**'], 'secret ** x', 'secret *** x'],
];

t.test('every case, in one chunk, byte by byte and divided at every position', async (t) => {
  for (const [name, needles, input, output] of CASES) {
    const automaton = compile(needleSet(...needles.map((needle) => Buffer.from(needle, 'latin1'))));
    const bytes = Buffer.from(input, 'latin1');
    const run = (pieces: Buffer[]): string => masked(createReplacer(automaton), pieces);
    t.equal(run([bytes]), output, name);
    t.equal(maskedPlainly(needles, input), output, `${name}: the rules say the same`);
    t.equal(run(cut(bytes, [...bytes.keys()])), output, `${name}: byte by byte`);
    const wrong = [...bytes.keys()].filter((at) => run(cut(bytes, [at])) !== output);
    t.same(wrong, [], `${name}: cut anywhere`);
    const between = `${'#'.repeat(100)}${input}${'#'.repeat(100)}`;
    if (!/[\s\x1b]$/.test(input) && !/e$|re$/.test(input)) {
      t.equal(
        run([Buffer.from(between, 'latin1')]),
        `${'#'.repeat(100)}${output}${'#'.repeat(100)}`,
        `${name}: amid other text`,
      );
    }
  }
});

const HELD: [needles: string[], pieces: [input: string, output: string][], end: string][] = [
  [
    ['secret'],
    [
      ['ab sec', 'ab '],
      ['', ''],
      ['r', ''],
      ['et!', '***!'],
    ],
    '',
  ],
  [
    ['secret'],
    [
      ['ab sec', 'ab '],
      ['ond', 'second'],
    ],
    '',
  ],
  [['secret'], [['ab sec', 'ab ']], 'sec'],
  [
    ['secret'],
    [
      ['sese', 'se'],
      ['cr', ''],
      ['x', 'secrx'],
    ],
    '',
  ],
  [
    ['aab'],
    [
      ['aa', ''],
      ['a', 'a'],
      ['b', '***'],
    ],
    '',
  ],
  [
    ['abcdef', 'bc'],
    [
      ['abc', ''],
      ['x', 'a***x'],
    ],
    '',
  ],
  [
    ['abc', 'cde'],
    [
      ['abc', '***'],
      ['d', ''],
      ['e', ''],
      ['f', 'f'],
    ],
    '',
  ],
  [
    ['abc', 'cde'],
    [
      ['abc', '***'],
      ['d', ''],
      ['x', 'dx'],
    ],
    '',
  ],
  [
    ['abc', 'cde'],
    [
      ['abc', '***'],
      ['abc', ''],
      ['-', '-'],
    ],
    '',
  ],
  [
    ['0123456789'.repeat(9)],
    [
      ['0123456789'.repeat(9), '***'],
      ['0', ''],
    ],
    '0',
  ],
  [
    ['one two'],
    [
      ['one\r', ''],
      ['\n', ''],
      ['\n', ''],
      ['x', 'one\r\n\nx'],
    ],
    '',
  ],
  [
    ['secret'],
    [
      [`sec${ESC}`, ''],
      ['[3', ''],
      ['1m', ''],
      ['ret', '***'],
    ],
    '',
  ],
  [
    ['secret'],
    [
      [`ab${ESC}[31`, `ab${ESC}[31`],
      ['m', 'm'],
    ],
    '',
  ],
  [
    ['0123456789'],
    [
      ['x01234\r\n', 'x'],
      ['5678', ''],
      ['9', '***'],
    ],
    '',
  ],
  [
    ['0123456789'],
    [
      ['x012\r\n', 'x012\r\n'],
      ['3456', ''],
      ['789', '***'],
    ],
    '',
  ],
  [
    ['0123456789'],
    [
      ['x012\r\n', 'x012\r\n'],
      ['34x', '34x'],
    ],
    '',
  ],
];

t.test('only what may still begin a needle is held back, however long the stream pauses', async (t) => {
  for (const [needles, pieces, end] of HELD) {
    const replacer = replacerOf(...needles);
    const name = `${needles}: ${JSON.stringify(pieces)}`;
    const outputs = pieces.map(([input]) => replacer.write(Buffer.from(input)).toString());
    t.same(
      outputs,
      pieces.map(([, output]) => output),
      name,
    );
    t.equal(replacer.end().toString(), end, `${name}, end`);
  }
});

t.test('the result is valid until the next write, and through the end', async (t) => {
  for (let i = 0; i < 200; i++) {
    const replacer = replacerOf('secret');
    replacer.write(Buffer.from('a secret, sec'));
    const output = replacer.write(Buffer.from(`${i} secre`.repeat(i % 7) + (i % 3 ? 't sec' : '')));
    const copy = output.toString();
    replacer.end();
    t.equal(output.toString(), copy);
  }
});

t.test('any alignment in memory', async (t) => {
  const text = 'a seecret secret, secr secretsecret etc.';
  for (let place = 0; place < 8; place++) {
    for (let length = 0; length <= text.length; length++) {
      const memory = Buffer.alloc(64, 'secret');
      memory.write(text, place);
      const replacer = replacerOf('secret', 'etc');
      const piece = memory.subarray(place, place + length);
      const shown = Buffer.concat([replacer.write(piece), replacer.end()]).toString();
      t.equal(shown, maskedPlainly(['secret', 'etc'], text.slice(0, length)), `${length} at ${place}`);
    }
  }
});

t.test('nothing of a flood is held back or repeated', async (t) => {
  const replacer = replacerOf('secret');
  const batch = Buffer.from(`${'x'.repeat(60_000)}secret${'y'.repeat(60_000)}`);
  const shown = `${'x'.repeat(60_000)}***${'y'.repeat(60_000)}`;
  for (let i = 0; i < 20; i++) t.ok(replacer.write(batch).equals(Buffer.from(shown)));
  t.equal(replacer.end().length, 0);
});

t.test('escape sequences without end and gaps without end', async (t) => {
  const title = (length: number): string => `${ESC}]0;${'t'.repeat(length - 5)}\x07`;
  const colors = (length: number): string => `${ESC}[1m`.repeat(length / 4);
  const breaks = '\r\n'.repeat(LONGEST_GAP);
  const cases: [name: string, input: string, output: string][] = [
    ['a title as long as a sequence may be', `sec${title(LONGEST_SEQUENCE)}ret.`, '***.'],
    ['a longer one is text', `sec${title(LONGEST_SEQUENCE + 1)}ret.`, `sec${title(LONGEST_SEQUENCE + 1)}ret.`],
    [
      'what is in it or goes on from it is masked all the same',
      `sec${ESC}]0;${'-'.repeat(LONGEST_SEQUENCE - 8)}secret${'-'.repeat(9000)}secret`,
      `sec${ESC}]0;${'-'.repeat(LONGEST_SEQUENCE - 8)}***${'-'.repeat(9000)}***`,
    ],
    ['as many colors as a gap may hold', `sec${colors(LONGEST_GAP)}ret.`, '***.'],
    ['more: masked as far as that is sure', `sec${colors(LONGEST_GAP + 400)}x`, `***${colors(400).slice(1)}x`],
    ['more, and then the rest of the needle', `sec${colors(LONGEST_GAP * 3)}ret.`, '***.'],
    ['whitespace', `one${' '.repeat(LONGEST_GAP * 3)}two.`, '***.'],
    ['whitespace after what only may be one', `one${breaks}-`, `***${breaks.slice(LONGEST_GAP + 2)}-`],
    [
      'whitespace after something else',
      `ones${' '.repeat(LONGEST_GAP * 3)}two.`,
      `ones${' '.repeat(LONGEST_GAP * 3)}two.`,
    ],
  ];
  const automaton = compile(needleSet('secret', 'one two'));
  for (const [name, input, output] of cases) {
    const bytes = Buffer.from(input);
    t.ok(masked(createReplacer(automaton), [bytes]) === output, name);
    t.ok(masked(createReplacer(automaton), cut(bytes, [...bytes.keys()])) === output, `${name}: byte by byte`);
    for (const at of [1, 3, 4, 100, 4097, LONGEST_GAP, LONGEST_GAP + 5, bytes.length - 2]) {
      t.ok(masked(createReplacer(automaton), cut(bytes, [at])) === output, `${name}: cut at ${at}`);
    }
  }
});

t.test('held bytes stay bounded where a gap does not end', async (t) => {
  const replacer = replacerOf('secret');
  let output = replacer.write(Buffer.from('sec')).length;
  let before = 3;
  let held = 3;
  for (let i = 0; i < 100_000; i++) {
    const piece = Buffer.from(`${ESC}[1m`);
    before += piece.length;
    const written = replacer.write(piece).length;
    output += written;
    held = written > 0 ? 0 : held + piece.length;
  }
  t.ok(output <= '***'.length, 'nothing but the mark is shown');
  t.ok(before > 10 * LONGEST_GAP);
  t.equal(replacer.write(Buffer.from('ret.')).toString(), '.', 'still part of the needle');
});

// Among the alphabets are bytes that escape sequences are made of.
const ALPHABETS = ['ab', 'abc ', 'aaab ', 'am[1b', 'ab\\0]'];
const SEQUENCES = ['[1m', '[m', ']0;a\x07', `]b${ESC}\\`, '(B', 'c', '', '[', ']a', 'P', '[1\x18', '[1\n'].map(
  (rest) => ESC + rest,
);
const BREAKS = ['\n', '\r\n', '\r\n  ', ' ', ' \t', ' \n', '-'];

const planted = fc.constantFrom(...ALPHABETS).chain((letters) => {
  const word = (minLength: number, maxLength: number) =>
    fc.array(fc.constantFrom(...letters), { minLength, maxLength }).map((list) => list.join(''));
  const needle = fc
    .oneof(
      { weight: 5, arbitrary: word(1, 12) },
      { weight: 2, arbitrary: word(20, 100) },
      // Longer than the trie is deep, and overlapping itself.
      { weight: 2, arbitrary: fc.tuple(word(1, 5), fc.integer({ min: 10, max: 60 }), word(0, 3)) },
    )
    .map((made) => (typeof made === 'string' ? made : made[0].repeat(made[1]) + made[2]))
    .map((text) => text.replace(/ +/g, ' '));
  const inserted = fc.constantFrom(...SEQUENCES, ...BREAKS);
  const part = fc.record({
    before: fc.oneof(word(0, 12), inserted),
    needle: fc.nat(5),
    // What is put before every so many of its bytes, and how many bytes of it there are.
    between: inserted,
    every: fc.integer({ min: 1, max: 40 }),
    length: fc.oneof({ weight: 3, arbitrary: fc.constant(1000) }, fc.nat(100)),
  });
  return fc.record({
    needles: fc.array(needle, { minLength: 1, maxLength: 6 }),
    parts: fc.array(part, { maxLength: 8 }),
    cuts: fc.array(fc.nat(800), { maxLength: 10 }),
  });
});

t.test('random needles and text over few letters follow the rules, however they are divided', async () => {
  fc.assert(
    fc.property(planted, ({ needles, parts, cuts }) => {
      const input = parts
        .map(({ before, needle, between, every, length }) => {
          const chars = [...needles[needle % needles.length]!.slice(0, length)];
          return before + chars.map((char, i) => (i % every === 0 ? between : '') + char).join('');
        })
        .join('');
      const bytes = Buffer.from(input, 'latin1');
      const automaton = compile(needleSet(...needles));
      const run = (pieces: Buffer[]): string => masked(createReplacer(automaton), pieces);
      const outputs = {
        expected: maskedPlainly(needles, input),
        whole: run([bytes]),
        byByte: run(cut(bytes, [...bytes.keys()])),
        inPieces: run(
          cut(
            bytes,
            cuts.filter((at) => at < bytes.length),
          ),
        ),
      };
      if (new Set(Object.values(outputs)).size !== 1) throw new Error(JSON.stringify(outputs));
    }),
    { numRuns: cases(200) },
  );
});
