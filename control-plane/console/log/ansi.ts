// Reads one line of terminal output: colors and styles (SGR), text that a carriage return, a backspace or a cursor
// movement within the line overwrites, and what a terminal does not show. Movements to other lines are ignored, and
// concealed text (SGR 8) is shown: a log hides nothing.
import { PLAIN, type Style, styled } from './sgr.js';
import { createRow, moveCursor, type Run } from './terminal-row.js';

export interface Line {
  readonly runs: readonly Run[];
  /** Of the text after the line. */
  readonly end: Style;
}

// What follows ESC: a control sequence, a string up to its terminator or the end of the line, a character set, or one
// character. C1 controls do the same in one character.
const SEQUENCE =
  /(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~])|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]+[0-~]|\x1b[0-~]/y;
/** Up to the next character with a meaning of its own. */
const TEXT = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
const PICTURE = 0x2400;
/** Characters that reorder or hide text around them. */
const DECEPTIVE = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0001}-\u{e007f}]/gu;
/**
 * @param text one line without its line end
 * @param start the style at its beginning, which is the one at the end of the line before
 * @example readLine('\x1b[31mred\x1b[0m 10%\rdone') // runs: 'done', ' 10%'
 */
export function readLine(text: string, start: Style = PLAIN): Line {
  if (!/[\x00-\x08\x0a-\x1f\x7f-\x9f]/.test(text)) return { runs: shownRuns([{ text, style: start }]), end: start };
  const row = createRow();
  let style = start;
  for (let at = 0; at < text.length; ) {
    TEXT.lastIndex = at;
    const plain = TEXT.exec(text)?.[0];
    if (plain !== undefined) {
      row.write(plain, style);
      at += plain.length;
      continue;
    }
    SEQUENCE.lastIndex = at;
    const found = SEQUENCE.exec(text);
    if (found) {
      const [all, parameters = '', between, final] = found;
      if (final === 'm' && between === '' && !/[<-?]/.test(parameters)) style = styled(style, parameters);
      else if (final !== undefined) moveCursor(row, final, parameters);
      at += all.length;
      continue;
    }
    const code = text.charCodeAt(at++);
    if (code === 0x0d) row.to(0);
    else if (code === 0x08) row.to(row.column() - 1);
    else if (code < 0x20 && code !== 0x07 && code !== 0x1b && code !== 0x0e && code !== 0x0f)
      row.write(String.fromCharCode(PICTURE + code), style);
  }
  return { runs: shownRuns(row.runs()), end: style };
}

/** The text of a line as it is shown. */
export const shownText = (line: Line): string => line.runs.map(({ text }) => text).join('');

const shownRuns = (runs: readonly Run[]): readonly Run[] =>
  runs
    .filter(({ text }) => text !== '')
    .map((run) => (run.text.search(DECEPTIVE) < 0 ? run : { ...run, text: visible(run.text) }));

const visible = (text: string) =>
  text.replace(DECEPTIVE, (each) => `<U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
