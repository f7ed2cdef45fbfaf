import { encode } from 'uqr';

/** Light modules around the code; scanners need some. */
const BORDER = 2;
const BLACK_ON_WHITE = '\x1b[30;107m';
const AS_BEFORE = '\x1b[0m';

export interface QrCode {
  lines: string[];
  /** Columns that it takes. */
  width: number;
}

/**
 * A text as a QR code for a terminal: two modules per character, one above the other, black on white regardless of the
 * terminal's colors.
 */
export function qrCode(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'L', border: BORDER });
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const cells = (data[row] ?? []).map((above, column) => block(above, data[row + 1]?.[column] ?? false));
    lines.push(`${BLACK_ON_WHITE}${cells.join('')}${AS_BEFORE}`);
  }
  return { lines, width: size };
}

function block(above: boolean, below: boolean): string {
  if (above) return below ? '█' : '▀';
  return below ? '▄' : ' ';
}
