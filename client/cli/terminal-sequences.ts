// Which control sequences of a build's output a terminal gets.

/** Where the cursor is, counted in lines below the first line of the log. Lines that wrap count once, so never too high. */
export interface Rows {
  /** Begins here: what is above stays out of reach. */
  begin(): void;
  /** A line feed. */
  next(): void;
  /** Moves up (negative) or down, at most as far as the log reaches; returns by how many lines. */
  move(by: number): number;
}

export function createRows(): Rows {
  let row = 0;
  let last = 0;
  return {
    begin() {
      row = 0;
      last = 0;
    },
    next() {
      row++;
      last = Math.max(last, row);
    },
    move(by) {
      const before = row;
      row = Math.min(last, Math.max(0, row + by));
      return Math.abs(row - before);
    },
  };
}

/** Within the line: right, left, to a column; insert, delete and erase characters. */
const WITHIN_LINE = /^\d{0,4}[CDG`@PX]$/;
const COLORS = /^[0-9;:]*m$/;
const ERASE_IN_LINE = /^[012]?K$/;
/** The rest of the screen; the whole screen and the lines that were scrolled away belong to the person. */
const ERASE_BELOW = /^0?J$/;
/** Up, down, and both to the first column. */
const BETWEEN_LINES = /^(\d{0,4})([ABEF])$/;

/**
 * Returns the sequence that is passed on for one after `ESC [`, or an empty string.
 *
 * @example allowedSequence('31m', rows) // '\x1b[31m'
 */
export function allowedSequence(sequence: string, rows: Rows): string {
  const allowed = [WITHIN_LINE, COLORS, ERASE_IN_LINE, ERASE_BELOW].some((form) => form.test(sequence));
  if (allowed) return `\x1b[${sequence}`;
  const [, count, final = ''] = BETWEEN_LINES.exec(sequence) ?? [];
  if (count === undefined) return '';
  const lines = Math.max(1, Number(count));
  const moved = rows.move(final === 'A' || final === 'F' ? -lines : lines);
  // To the first column of this line, when there is no other.
  if (moved === 0) return final === 'E' || final === 'F' ? '\r' : '';
  return `\x1b[${moved}${final}`;
}

// One that ends a link has no address.
const LINK = /^8;([^;]*);(https?:\/\/[!-~]+)?$/i;
const LINK_ID = /(?:^|:)(id=[\w.-]{1,64})(?:$|:)/;
const LONGEST_ADDRESS = 2_048;
const LINK_END = { text: '\x1b]8;;\x1b\\', opens: false };

/** Returns what is passed on for a link (OSC 8), from its content: its end for a refused address. Null for other strings. */
export function allowedLink(content: string): { text: string; opens: boolean } | null {
  const found = LINK.exec(content);
  const [, parameters = '', address = ''] = found ?? [];
  if (!found || address.length > LONGEST_ADDRESS) return content.startsWith('8;') ? LINK_END : null;
  const id = LINK_ID.exec(parameters)?.[1] ?? '';
  return { text: `\x1b]8;${address === '' ? '' : id};${address}\x1b\\`, opens: address !== '' };
}
