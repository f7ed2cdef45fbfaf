// One row of a terminal: text at a cursor, which may overwrite what is there.

import { graphemes } from './graphemes.js';
import { PLAIN, type Style } from './sgr.js';
import { widthOf } from './width.js';

export interface Run {
  readonly text: string;
  readonly style: Style;
}

/** A line is laid out in at most this many columns, wherever a program puts the cursor. */
const MOST_COLUMNS = 16_384;

/** Whether a code point goes on with the character before it. */
const joins = (before: string, next: string): boolean =>
  next >= '\u0300' && before !== '' && graphemes(before + next).length === 1;

export type Row = ReturnType<typeof createRow>;

interface Cell {
  /** Empty: the right half of a wide character. */
  text: string;
  style: Style;
}

/** Text is kept in runs until something is overwritten, which few lines do. */
export function createRow() {
  const runs: Run[] = [];
  /** Undefined: a blank. */
  let cells: (Cell | undefined)[] | null = null;
  let column = 0;

  const toCells = (): (Cell | undefined)[] => {
    if (cells) return cells;
    cells = [];
    column = 0;
    for (const { text, style } of runs) put(text, style);
    return cells;
  };
  const blank = (style: Style = PLAIN): Cell => ({ text: ' ', style });
  /** A wide character of which one half is overwritten is gone. */
  const split = (all: (Cell | undefined)[], at: number) => {
    if (all[at]?.text !== '') return;
    all[at] = blank(all[at].style);
    if (at > 0) all[at - 1] = blank(all[at - 1]?.style);
  };
  const put = (text: string, style: Style) => {
    const all = cells ?? [];
    for (const character of text) {
      const before = all[column - 1]?.text === '' ? column - 2 : column - 1;
      const base = all[before];
      const width = character === '\t' ? 8 - (column % 8) : widthOf(character);
      // Accents and joiners stand with what is before them, and so does the next part of a joined picture or flag.
      if (width === 0 || (base && joins(base.text, character))) {
        const { text: joined, style: own } = base ?? blank();
        if (before >= 0) all[before] = { text: joined + character, style: own };
        continue;
      }
      if (column + width > MOST_COLUMNS) return;
      if (all.length < column) all.length = column;
      split(all, column);
      split(all, column + width);
      const cell = { text: character === '\t' ? ' ' : character, style };
      all[column] = cell;
      for (let i = 1; i < width; i++) all[column + i] = character === '\t' ? blank(style) : { text: '', style };
      column += width;
    }
  };
  return {
    column: (): number => {
      toCells();
      return column;
    },
    to(next: number): void {
      // A carriage return before the line end changes nothing, and is not worth cells.
      toCells();
      column = Math.min(Math.max(0, next), MOST_COLUMNS - 1);
    },
    write(text: string, style: Style): void {
      if (cells) put(text, style);
      else runs.push({ text, style });
    },
    /** Clears columns from (inclusive) to (exclusive). */
    clear(from: number, to: number): void {
      const all = toCells();
      split(all, from);
      split(all, Math.min(to, all.length));
      if (to >= all.length) all.length = Math.min(all.length, from);
      else all.fill(undefined, from, to);
    },
    length: (): number => toCells().length,
    runs(): Run[] {
      return joined(cells ? Array.from(cells, (cell) => cell ?? blank()) : runs);
    },
  };
}

function joined(parts: readonly Run[]): Run[] {
  const runs: { text: string; style: Style }[] = [];
  for (const { text, style } of parts) {
    const last = runs.at(-1);
    if (last && same(last.style, style)) last.text += text;
    else runs.push({ text, style });
  }
  return runs;
}

const same = (a: Style, b: Style) => a === b || JSON.stringify(a) === JSON.stringify(b);

type Movement = (row: Row, numbers: readonly number[]) => void;

const clearAhead: Movement = (row, [count]) => row.clear(row.column(), row.column() + atLeast1(count));
const toColumn: Movement = (row, [column]) => row.to(atLeast1(column) - 1);
const toPlace: Movement = (row, [, column]) => row.to(atLeast1(column) - 1);

/** By the last character of a control sequence. */
const movements: Readonly<Record<string, Movement>> = {
  C: (row, [count]) => row.to(row.column() + atLeast1(count)),
  D: (row, [count]) => row.to(row.column() - atLeast1(count)),
  G: toColumn,
  '`': toColumn,
  H: toPlace,
  f: toPlace,
  P: clearAhead,
  X: clearAhead,
  K(row, [mode = 0]) {
    const here = row.column();
    row.clear(mode === 0 ? here : 0, mode === 1 ? here + 1 : Math.max(here, row.length()));
  },
  J(row, [mode = 0]) {
    if (mode >= 2) row.clear(0, row.length());
  },
};

/** @param parameters of the sequence, e.g. `1;5` */
export function moveCursor(row: Row, final: string, parameters: string): void {
  const numbers = parameters.split(';').map((each) => Number.parseInt(each, 10) || 0);
  movements[final]?.(row, numbers);
}

const atLeast1 = (count = 0) => Math.min(Math.max(1, count), MOST_COLUMNS);
