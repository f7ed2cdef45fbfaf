// The rule of names of Macs, and which names are the same.
import t from 'tap';
import { firstFreeMacName, macNameKey, macNameSentence, readMacName } from '../../shared/mac-name.js';

const FOX = '🦊';
const FAMILY = '👩‍👩‍👧';

t.test('which texts are names, and how they are stored', async (t) => {
  const table: [what: string, text: string, stored: string | null, problem?: string][] = [
    ['a word', 'Release', 'Release'],
    ['spaces around and inside', '  Release   Mac ', 'Release Mac'],
    ['a no-break space', 'Release\u00a0Mac', 'Release Mac'],
    ['a decomposed letter', 'Cafe\u0301', 'Café'],
    ['Hangul in letters', '\u1112\u1161\u11ab', '한'],
    ['quotes and signs', `"it's" <b>&\\ $(x)`, `"it's" <b>&\\ $(x)`],
    ['emoji', `${FOX} ${FAMILY}`, `${FOX} ${FAMILY}`],
    ['right to left', 'ماك 1', 'ماك 1'],
    ['Persian with a joiner', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['40 astral characters', FOX.repeat(40), FOX.repeat(40)],
    ['41 characters', 'x'.repeat(41), null, 'too_long'],
    ['40 characters and spaces around', ` ${'x'.repeat(40)} `, 'x'.repeat(40)],
    ['nothing', '', null, 'empty'],
    ['only spaces', ' \u3000\u00a0', null, 'empty'],
    ['only joiners', '\u200d\u200c', null, 'empty'],
    ['only a blank letter', '\u3164', null, 'empty'],
    ['a tab', 'a\tb', null, 'characters'],
    ['a line break', 'a\nb', null, 'characters'],
    ['a line separator', 'a\u2028b', null, 'characters'],
    ['a null byte', 'a\0', null, 'characters'],
    ['an escape sequence', '\x1b[31mred', null, 'characters'],
    ['half of a character', 'a\ud83d', null, 'characters'],
    ['an override of the direction', 'a\u202eb', null, 'characters'],
    ['a zero-width space', 'a\u200bb', null, 'characters'],
    ['a rental id', 'rt_7k2m9x0c4v8d3f6g', null, 'like_an_id'],
    ['its beginning in capitals', 'RT_x', null, 'like_an_id'],
    ['full-width letters', 'ｒｔ＿1', null, 'like_an_id'],
    ['with a joiner in it', 'r\u200dt_1', null, 'like_an_id'],
    ['a build id', 'rb_1', null, 'like_an_id'],
    ['a job id', 'op_1', null, 'like_an_id'],
    ['an order number', 'rt-1234', null, 'like_an_id'],
    ['what only contains one', 'my rt_1', 'my rt_1'],
    ['a word that begins alike', 'rtx', 'rtx'],
  ];
  for (const [what, text, stored, problem] of table) {
    t.same(readMacName(text), stored === null ? { problem } : { name: stored }, what);
    if (stored !== null) t.same(readMacName(stored), { name: stored }, `${what}: again`);
  }
  t.equal(macNameSentence('too_long', 'x'.repeat(41)), 'must have 1 to 40 characters (got 41).');
});

t.test('which names are the same', async (t) => {
  const same = (a: string, b: string) => macNameKey(a) === macNameKey(b);
  for (const [a, b] of [
    ['Mac 1', 'mac 1'],
    ['Café', 'CAFE\u0301'],
    ['straße', 'STRASSE'],
    ['Ｍａｃ 1', 'Mac 1'],
    ['Mac\u200d 1', 'Mac 1'],
    ['❤️', '❤'],
  ] as const) {
    t.ok(same(a, b), `${a} and ${b}`);
  }
  for (const [a, b] of [
    ['Mac 1', 'Mac 11'],
    ['Mac 1', 'Mac1'],
    [FOX, FAMILY],
    ['가', '나'],
  ] as const) {
    t.notOk(same(a, b), `${a} and ${b}`);
  }
});

t.test('the first number that is free', async (t) => {
  const free = (...names: string[]) => firstFreeMacName((key) => names.map(macNameKey).includes(key));
  t.equal(free(), 'Mac 1');
  t.equal(free('MAC 1', 'Mac 3'), 'Mac 2');
  t.equal(free('Mac 1', 'mac 2', 'Mac 3'), 'Mac 4');
});
