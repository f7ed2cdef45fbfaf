// The streaming replacer, apart from secrets: what is replaced, what is let go and when, for every way of cutting.
import fc from 'fast-check';
import t from 'tap';
import { compile } from '../../host-agent/mask/finder.js';

import { createReplacer } from '../../host-agent/mask/replacer.js';
import { cut, masked, maskedPlainly, needleSet } from './mask-oracle.js';

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
  ['wrapped so that two readings differ', ['0123456789abcdef', '56 78'], '0123456\n789abcdef', '***'],
  ['short needle over two lines', ['secret'], 'sec\nret', 'sec\nret'],
  ['colour inside', ['secret'], `a sec${ESC}[31mret b`, 'a *** b'],
  ['colour around stays', ['secret'], `${ESC}[1msecret${ESC}[0m`, `${ESC}[1m***${ESC}[0m`],
  ['colour between all bytes', ['secret'], [...'secret'].join(`${ESC}[0;38;5;9m`), '***'],
  ['erase line inside, as grep does', ['secret'], `sec${ESC}[01;31m${ESC}[Kret`, '***'],
  ['character set and two-byte sequences inside', ['secret'], `se${ESC}(Bcr${ESC}7et`, '***'],
  ['window title inside', ['secret'], `sec${ESC}]0;title\x07ret sec${ESC}]0;t${ESC}\\ret`, '*** ***'],
  ['device control and privacy strings inside', ['secret'], `s${ESC}P1q${ESC}\\e${ESC}^x${ESC}\\cret`, '***'],
  ['cancelled sequence inside', ['secret'], `sec${ESC}[3\x18ret`, '***'],
  [
    'needle inside a hyperlink',
    ['secret'],
    `${ESC}]8;;https://secret@h${ESC}\\x`,
    `${ESC}]8;;https://***@h${ESC}\\x`,
  ],
  ['needle that begins inside a sequence', ['me too'], `${ESC}[31me too`, `${ESC}[31***`],
  ['needle inside and around a sequence', ['secret'], `sec${ESC}]0;secret\x07ret`, '***'],
  ['needle around a failed one with colour', ['secret'], `sec${ESC}[msecret`, `sec${ESC}[m***`],
  ['broken sequence is text', ['secret'], `sec${ESC}[31\nmret`, `sec${ESC}[31\nmret`],
  ['title without an end is text', ['secret'], `sec${ESC}]0;ti secret\nret`, `sec${ESC}]0;ti ***\nret`],
  ['escape at the end', ['secret'], `sec${ESC}`, `sec${ESC}`],
  ['needle with an escape sequence', [`a${ESC}[1mb`], `xa${ESC}[1mby`, 'x***y'],
  ['whitespace interrupted by a colour', ['one two'], `one ${ESC}[1m two`, '***'],
  ['colour and wrap inside', ['0123456789abcdef'], `01${ESC}[1m2345\r\n${ESC}[0m6789abcdef`, '***'],
  ['regular expression specials', ['.*+?()[]{}|^$'], 'a.*+?()[]{}|^$b', 'a***b'],
  ['replacement specials', ['$&$1$$'], 'a$&$1$$b', 'a***b'],
  ['NUL and high bytes', ['\0\xff\xfe\x80'], 'a\0\xff\xfe\x80b', 'a***b'],
  ['needle equal to the mark', ['***'], 'a***b', 'a***b'],
  ['needle inside the mark', ['**'], 'secret ** x', 'secret *** x'],
];

t.test('every case, in one piece, byte by byte and cut at every position', async (t) => {
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

t.test('random needles and text over few letters: as the rules say, however it is cut', async () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    'c',
    'ab',
    'abc',
    ' ',
    '\n',
    '\r\n',
    `${ESC}[1z`,
    `${ESC}]x`,
    '\x07',
    ESC,
    '-',
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  const letters = fc.array(fc.constantFrom('a', 'b', 'c', ' '), { minLength: 1, maxLength: 12 });
  const needle = letters.map((list) => list.join('').replace(/ +/g, ' '));
  const planted = fc.tuple(
    fc.array(needle, { minLength: 1, maxLength: 5 }),
    fc.array(text, { maxLength: 6 }),
  );
  fc.assert(
    fc.property(planted, fc.array(fc.nat(400), { maxLength: 12 }), ([needles, parts], cuts) => {
      const broken = (word: string, i: number): string =>
        [word, [...word].join(`${ESC}[1z`), word.replace(/(.{5})/g, '$1\r\n'), word.replace(/ /g, '\r\n\t')][
          i % 4
        ]!;
      const input = parts
        .map((part, i) => part + broken(needles[i % needles.length]!, i + part.length))
        .join('');
      const bytes = Buffer.from(input, 'latin1');
      const automaton = compile(needleSet(...needles));
      const run = (pieces: Buffer[]): string => masked(createReplacer(automaton), pieces);
      const whole = run([bytes]);
      const expected = maskedPlainly(needles, input);
      if (whole !== expected) throw new Error(`${JSON.stringify([needles, input, whole, expected])}`);
      const byBytes = run(cut(bytes, [...bytes.keys()]));
      if (byBytes !== whole) throw new Error(`by bytes ${JSON.stringify([needles, input, byBytes, whole])}`);
      const pieces = run(
        cut(
          bytes,
          cuts.filter((at) => at < bytes.length),
        ),
      );
      if (pieces !== whole) throw new Error(`cut ${JSON.stringify([needles, input, cuts, pieces, whole])}`);
    }),
    { numRuns: 3000 },
  );
});
