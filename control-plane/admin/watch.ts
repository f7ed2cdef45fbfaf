// How the repeated output of a command with `--watch` is printed: on a terminal each table replaces the one before.
import { visibleText } from '../../shared/clean-text.js';
import type { Screen } from './command.js';

const [HOME, CLEAR_LINE_END, CLEAR_BELOW] = ['\x1b[H', '\x1b[K', '\x1b[J'];

/** Returns no more lines than fit on the screen; the last one says how many were left out. Without a screen: all, and an empty line. */
export function redrawn(text: string, screen: Screen | null): string {
  const lines = visibleText(text, '\n').split('\n');
  if (screen === null) return `${lines.join('\n')}\n\n`;
  const room = screen.rows - 1;
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines: make the window higher`];
  return `${HOME}${shown.map((line) => `${line}${CLEAR_LINE_END}\n`).join('')}${CLEAR_BELOW}`;
}
