// Where a log is scrolled to. The position is a row and the pixels of it that are above the window, because rows may
// have different heights and a browser limits the height of an element. The scroll bar stands for the position in
// proportion: small movements of it are taken as pixels, large ones as a share of the log.

export interface Position {
  /** From 0. */
  readonly row: number;
  /** Pixels of the row above the window. */
  readonly px: number;
}

export interface Space {
  readonly rows: number;
  /** Height of the window. */
  readonly height: number;
  heightOf(row: number): number;
  /** Height of a row whose text does not wrap. */
  readonly rowHeight: number;
}

/** Tallest element: every browser can show it, and positions in it are exact to a fraction of a pixel. */
const TALLEST = 4_000_000;

export const START: Position = { row: 0, px: 0 };

/** Height of the element that is scrolled. */
export const scrolledHeight = ({ rows, rowHeight }: Pick<Space, 'rows' | 'rowHeight'>): number =>
  Math.min(TALLEST, rows * rowHeight);

/** Moves by pixels, down if positive, within the log. */
export function moved(space: Space, { row, px }: Position, delta: number): Position {
  let at = row;
  let offset = px + delta;
  while (offset < 0 && at > 0) offset += space.heightOf(--at);
  if (offset < 0) return START;
  while (at < space.rows - 1 && offset >= space.heightOf(at)) offset -= space.heightOf(at++);
  return earlier({ row: at, px: offset }, lastPosition(space));
}

/** The position at which the last row ends with the window. */
export function lastPosition(space: Space): Position {
  let left = space.height;
  for (let row = space.rows - 1; row >= 0; row--) {
    left -= space.heightOf(row);
    if (left <= 0) return { row, px: -left };
  }
  return START;
}

/** Returns the position as a share of the log, 0 to 1. */
export function shareOf(space: Space, position: Position): number {
  const last = rowsBefore(space, lastPosition(space));
  return last === 0 ? 0 : Math.min(1, rowsBefore(space, position) / last);
}

export function positionAt(space: Space, share: number): Position {
  const last = lastPosition(space);
  const rows = Math.min(1, Math.max(0, share)) * rowsBefore(space, last);
  const row = Math.min(Math.floor(rows), Math.max(0, space.rows - 1));
  return earlier({ row, px: (rows - row) * (space.rows === 0 ? 0 : space.heightOf(row)) }, last);
}

/** Returns the position that shows a row: the present one if the row is in the window already, else with it above the middle. */
export function showing(space: Space, position: Position, row: number): Position {
  const margin = space.rowHeight;
  const above = distance(space, position, row, space.height);
  if (above !== null && above >= 0 && above + margin <= space.height) return position;
  return moved(space, { row: Math.max(0, Math.min(row, space.rows - 1)), px: 0 }, -Math.floor(space.height / 3));
}

/** The rows in a window that begins at a position, and where the first of them begins relative to the window. */
export function rowsInWindow(
  space: Space,
  position: Position,
  extra: number,
): { first: number; last: number; top: number } {
  let first = position.row;
  let top = -position.px;
  for (let more = extra; more > 0 && first > 0; ) {
    const height = space.heightOf(--first);
    top -= height;
    more -= height;
  }
  let last = position.row;
  for (let bottom = space.heightOf(last) - position.px; bottom < space.height + extra && last < space.rows - 1; )
    bottom += space.heightOf(++last);
  return { first, last: Math.min(last, space.rows - 1), top };
}

/** Returns how far a row begins below the window's top; null if it is beyond `reach`. */
function distance(space: Space, { row, px }: Position, wanted: number, reach: number): number | null {
  if (wanted < row) return null;
  let top = -px;
  for (let at = row; at < wanted; at++) {
    top += space.heightOf(at);
    if (top > reach) return null;
  }
  return top;
}

const rowsBefore = (space: Space, { row, px }: Position) => row + (px === 0 ? 0 : px / space.heightOf(row));

const earlier = (one: Position, other: Position): Position =>
  one.row < other.row || (one.row === other.row && one.px <= other.px) ? one : other;

export const isSame = (one: Position, other: Position): boolean =>
  one.row === other.row && Math.abs(one.px - other.px) < 0.5;
