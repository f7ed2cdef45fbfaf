// A table with a header that fits into the columns of a terminal.
import { cleanText } from '../../shared/clean-text.js';

export interface Column<Row> {
  readonly title: string;
  /** Columns with the highest number are left out first. */
  readonly importance: number;
  /** Longer cells are cut to this many columns when the table must fit; default: never cut. */
  readonly atMost?: number;
  /** Takes the room that is left, at least `atMost`. */
  readonly grows?: boolean;
  cell(row: Row): string;
}

const GAP = '  ';

/**
 * Returns the rows below a header. Cells lose characters that control a terminal or hide text.
 *
 * @param width columns of the terminal; null: all columns of the table, uncut
 */
export function fitTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number | null): string {
  const all = columns.map((column) => {
    const cells = [column.title, ...rows.map((row) => cleanText(column.cell(row), Number.MAX_SAFE_INTEGER))];
    const natural = Math.max(...cells.map(widthOf));
    return {
      column,
      cells,
      natural,
      shown: width === null ? natural : Math.min(natural, column.atMost ?? natural),
    };
  });
  const kept = width === null ? all : withinWidth(all, width);
  const lines = ['', ...rows].map((_, i) =>
    kept
      .map(({ cells, shown }) => padded(cells[i] ?? '', shown))
      .join(GAP)
      .trimEnd(),
  );
  return lines.join('\n');
}

interface Sized {
  readonly column: Pick<Column<never>, 'importance' | 'grows'>;
  readonly natural: number;
  shown: number;
}

function withinWidth<C extends Sized>(all: readonly C[], width: number): C[] {
  let kept = [...all];
  const total = () => kept.reduce((sum, { shown }) => sum + shown, GAP.length * (kept.length - 1));
  while (total() > width && kept.length > 2) {
    const least = Math.max(...kept.map(({ column }) => column.importance));
    kept = kept.filter(({ column }) => column.importance !== least);
  }
  for (const one of kept.filter(({ column }) => column.grows)) {
    one.shown = Math.min(one.natural, one.shown + Math.max(0, width - total()));
  }
  return kept;
}

/** Cuts or fills a cell to the width. */
export function padded(cell: string, width: number): string {
  let cut = cell;
  if (widthOf(cell) > width) {
    const characters = [...cell];
    while (characters.length > 0 && widthOf(characters.join('')) > width - 1) characters.pop();
    cut = `${characters.join('')}…`;
  }
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

// Scripts and symbols whose characters take two columns in a terminal; marks that take none.
const WIDE =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const MARK = /\p{M}/u;

/** Columns of a terminal that the text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
