// Lines of terminal output: what is shown, in which style, and what goes on in the next line.
import fc from 'fast-check';
import t from 'tap';
import { readLine, shownText } from '../../../control-plane/console/log/ansi.js';
import { PLAIN, type Style, styleAfter } from '../../../control-plane/console/log/sgr.js';
import { byWidth, columnsOf } from '../../../control-plane/console/log/width.js';

const E = '\x1b[';
const shown = (text: string) => shownText(readLine(text));

t.test('styles: every SGR that is known, and those that are not', async (t) => {
  const styles: [string, Style][] = [
    ['0', {}],
    ['', {}],
    ['1', { bold: true }],
    ['2', { dim: true }],
    ['3', { italic: true }],
    ['4', { underline: true }],
    ['4:3', { underline: true }],
    ['4;4:0', {}],
    ['21', { underline: true }],
    ['7', { inverse: true }],
    ['9', { strike: true }],
    ['1;2;22', {}],
    ['3;23', {}],
    ['4;24', {}],
    ['7;27', {}],
    ['9;29', {}],
    ['8', {}],
    ['5;6;10;53;73;999', {}],
    ['31', { fg: 1 }],
    ['97', { fg: 15 }],
    ['44', { bg: 4 }],
    ['100', { bg: 8 }],
    ['31;39', {}],
    ['44;49', {}],
    ['38;5;208', { fg: 208 }],
    ['48;5;17;1', { bg: 17, bold: true }],
    ['38;2;1;2;3', { fg: { rgb: [1, 2, 3] } }],
    ['38:2::1:2:3', { fg: { rgb: [1, 2, 3] } }],
    ['38:2:1:2:3', { fg: { rgb: [1, 2, 3] } }],
    ['38:5:99', { fg: 99 }],
    ['48;2;255;0;0;4', { bg: { rgb: [255, 0, 0] }, underline: true }],
    ['38;5;256', {}],
    ['38;2;300;0;0', {}],
    ['38;5', {}],
    ['38', {}],
    ['1;31;0', {}],
    ['1;;3', { italic: true }],
  ];
  for (const [parameters, style] of styles) {
    const text = `${E}${parameters}mx`;
    t.same(readLine(text), { runs: [{ text: 'x', style }], end: style }, parameters);
    t.same(styleAfter(text, PLAIN), style, `${parameters}, without its text`);
  }
  t.same(readLine(`a${E}31mb${E}1mc`, { underline: true }).runs, [
    { text: 'a', style: { underline: true } },
    { text: 'b', style: { underline: true, fg: 1 } },
    { text: 'c', style: { underline: true, fg: 1, bold: true } },
  ]);
});

t.test('what is shown: overwritten text, cursor movements, and what a terminal does not show', async (t) => {
  const cases: [string, string][] = [
    ['plain text', 'plain text'],
    ['10%\r50%\r100%', '100%'],
    ['Downloading\rdone', 'doneloading'],
    [`Downloading\r${E}Kdone`, 'done'],
    [`Downloading\r${E}2Kdone`, 'done'],
    [`\r${E}Kline`, 'line'],
    ['line\r', 'line'],
    ['abc\b\bX', 'aXc'],
    ['\b\bX', 'X'],
    [`abcdef${E}4DX`, 'abXdef'],
    [`ab${E}3CX`, 'ab   X'],
    [`abcdef${E}2GX`, 'aXcdef'],
    [`abcdef${E}1;3HX`, 'abXdef'],
    [`abcdef\r${E}2X.`, '. cdef'],
    [`abcdef${E}3D${E}K`, 'abc'],
    [`abcdef${E}3D${E}1K`, '    ef'],
    [`abc${E}2J${E}1;1Hnew`, 'new'],
    [`one${E}Atwo${E}5Bthree${E}?25l`, 'onetwothree'],
    ['\x1b]0;title\x07text', 'text'],
    ['\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1b]never ends', ''],
    ['\x1bPq#0\x1b\\after', 'after'],
    ['\x1b(Bx\x1b7y\x1b8z', 'xyz'],
    ['bell\x07 shift\x0e\x0f', 'bell shift'],
    ['nul\x00 esc\x1b', 'nul␀ esc'],
    [`\x9b31mred`, 'red'],
    ['a\u202eb\u2066c\ufeffd', 'a<U+202E>b<U+2066>c<U+FEFF>d'],
    ['a\tb\rX', 'X       b'],
    ['한글\rX', 'X 글'],
    ['한글\r\u001b[1CX', ' X글'],
    ['e\u0301x\rE', 'Ex'],
  ];
  for (const [text, wanted] of cases) t.equal(shown(text), wanted, JSON.stringify(text));
  t.same(
    readLine(`${E}31mred${E}0m\r${E}32mg`).runs,
    [
      { text: 'g', style: { fg: 2 } },
      { text: 'ed', style: { fg: 1 } },
    ],
    'what is overwritten takes the new style',
  );
  t.equal(shown(`x${E}999999999Cy`).length, 16_384, 'no program makes a line longer than that');
});

t.test('any bytes: nothing of them moves or hides text on the page', async (t) => {
  const part = fc.constantFrom(
    ...['a', '한', '\r', '\b', '\t', '\x1b', '[', '3', '1', ';', 'm', 'K', 'C', 'D', 'G', 'P', 'J', ']', '\x07'],
    ...['\x00', '\x9b', '\u202e', '\u0301', '\ud83d', '🎉', '38', ':', '2', '999999'],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const { runs, end } = readLine(parts.join(''));
      const text = runs.map((run) => run.text).join('');
      t.notMatch(text, /[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e]/);
      t.ok(runs.every((run) => run.text !== ''));
      t.type(end, 'object');
    }),
    { numRuns: 150 },
  );
});

t.test('wide characters take two columns, marks above them none', async (t) => {
  const widths: [string, number][] = [
    ['abc', 3],
    ['한국어', 6],
    ['日本', 4],
    ['ｆｕｌｌ', 8],
    ['ｱ', 1],
    ['e\u0301', 1],
    ['🎉', 2],
    ['é', 1],
    ['a\tb', 9],
    ['│─┐', 3],
    ['✓', 1],
  ];
  for (const [text, columns] of widths) t.equal(columnsOf(text), columns, text);
  t.same(byWidth('ab한국c'), [
    { text: 'ab', isWide: false },
    { text: '한국', isWide: true },
    { text: 'c', isWide: false },
  ]);
});
