// Characters of several code points stay whole, whatever cuts the line.
import t from 'tap';
import { readLine, shownText } from '../../../control-plane/console/log/ansi.js';
import { graphemes, snapTo } from '../../../control-plane/console/log/graphemes.js';
import { piecesOf } from '../../../control-plane/console/log/pieces.js';
import { withoutMarks } from '../../../control-plane/console/log/shown-line.js';
import { byWidth, columnsOf } from '../../../control-plane/console/log/width.js';

const ALL = { chars: Number.POSITIVE_INFINITY, pieces: Number.POSITIVE_INFINITY };
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
const WAVE = '\u{1f44b}\u{1f3fd}';
const FLAG = '\u{1f1f0}\u{1f1f7}';
const ACCENT = 'e\u0301';
const JAMO = '\u1112\u1161\u11ab';
const all = [FAMILY, WAVE, FLAG, ACCENT, JAMO];

t.test('what counts as one character', async (t) => {
  t.same(graphemes(`a${all.join('')}b`), ['a', ...all, 'b']);
  t.same(graphemes('plain 한국어'), [...'plain 한국어']);
  for (const each of [FAMILY, WAVE, FLAG, JAMO]) {
    t.equal(columnsOf(each), 2, each);
    t.same(byWidth(`x${each}`), [
      { text: 'x', isWide: false },
      { text: each, isWide: true },
    ]);
  }
  const { start, end } = snapTo(`a${FAMILY}b`);
  t.same([end(1), end(3), start(3), end(1 + FAMILY.length)], [1, 1 + FAMILY.length, 1, 1 + FAMILY.length]);
});

t.test('a color, a match of the search and the end of what is shown do not cut it', async (t) => {
  for (const each of all) {
    const points = [...each];
    for (let cut = 1; cut < points.length; cut += 1) {
      const colored = `x${points.slice(0, cut).join('')}\x1b[31m${points.slice(cut).join('')}y`;
      const pieces = piecesOf(readLine(colored), '', ALL).map(({ text }) => text);
      t.ok(
        pieces.some((text) => text.includes(each)),
        `${each} with a color after ${cut}: ${pieces.join('|')}`,
      );
      t.equal(pieces.join(''), `x${each}y`);
    }
    const found = piecesOf(readLine(`x${each}y`), points[0] ?? '', ALL).find(({ isMark }) => isMark);
    t.equal(found?.text, each, 'a match marks all of it');
    const some = piecesOf(readLine(`x${each}yy`), '', { chars: 2, pieces: 9 }).map(({ text }) => text);
    t.equal(some.join(''), `x${each}`, 'what is shown ends after it');
    // A carriage return puts the line into cells.
    t.equal(shownText(readLine(`1${each}3\r2`)), `2${each}3`);
  }
});

t.test('marks that are shown in another way are not text', async (t) => {
  const of = (text: string, isService = false) => shownText(withoutMarks(readLine(text), isService));
  t.equal(of('[cidermill] Checking out', true), 'Checking out');
  t.equal(of('[cidermill] of a program'), '[cidermill] of a program', 'only those of the service');
  t.equal(of('\x1b[1m[cider\x1b[0mmill] Checking out', true), 'Checking out');
  t.equal(of('::group::Tests'), 'Tests');
  t.equal(of('##[group]Tests'), 'Tests');
  t.equal(of('::group::'), '::group::');
  t.equal(of('plain'), 'plain');
});
