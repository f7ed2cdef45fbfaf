// How the pages of a command with `--watch` are printed: on a terminal each replaces the one before.
import { printedJson, visibleText } from '../../shared/clean-text.js';
import type { Print } from './command.js';

const [HOME, CLEAR_LINE_END, CLEAR_BELOW] = ['\x1b[H', '\x1b[K', '\x1b[J'];

/** Prints no more lines than fit on the screen; the last line says how many were left out. */
export const redrawn: Print<{ readonly watch?: boolean }> = ({ json, text }, { asJson, options, screen }) => {
  if (asJson) return `${printedJson(json)}\n`;
  const lines = visibleText(text, '\n').split('\n');
  if (!options.watch || screen === null) return `${lines.join('\n')}\n${options.watch ? '\n' : ''}`;
  const room = screen.rows - 1;
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines: make the window higher`];
  return `${HOME}${shown.map((line) => `${line}${CLEAR_LINE_END}\n`).join('')}${CLEAR_BELOW}`;
};
