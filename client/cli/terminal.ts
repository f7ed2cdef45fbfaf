// Output for people: colors and rewritten lines only on a terminal, and no control characters from a server.
import { visibleText } from '../../shared/clean-text.js';
import type { Output } from './context.js';

export type Paint = (text: string) => string;

export interface Style {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Colors for a stream: none unless it is a terminal that supports them and NO_COLOR is not set. */
export function styleFor(stream: Output, env: NodeJS.ProcessEnv): Style {
  const colors = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = ([on, off]: number[]): Paint => (colors ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : String);
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}

/**
 * Returns text from a server without characters that control a terminal or hide text; `keep` may allow line breaks. All
 * output passes through it, except the log of a build, which passes through the terminal's filter.
 */
export const printable = visibleText;

/** A status line at the bottom; without a terminal, one line per change. */
export interface StatusLine {
  /**
   * @param options.onTerminalOnly true to omit it without a terminal
   * @param options.news the part whose change is worth a line, if not the whole text (which has a countdown)
   */
  set(text: string, options?: { onTerminalOnly?: boolean; news?: string }): void;
  /** Clears the line before other text is written. */
  clear(): void;
}

export function createStatusLine(stream: Output): StatusLine {
  const onTerminal = stream.isTTY === true;
  let shown = '';
  return {
    set(text, options) {
      const news = onTerminal ? text : (options?.news ?? text);
      if (news === shown) return;
      if (onTerminal) stream.write(`\r\x1b[2K${text.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
      else if (!options?.onTerminalOnly) stream.write(`${text}\n`);
      shown = news;
    },
    clear() {
      if (onTerminal && shown !== '') stream.write('\r\x1b[2K');
      if (onTerminal) shown = '';
    },
  };
}
