import type { Output } from './context.js';
import { formatBytes } from './format.js';
import { createStatusLine } from './terminal.js';

const BAR = 24;

/** A bar that is redrawn in place; nothing off a terminal. */
export function showUploadProgress(stream: Output): {
  update(sent: number, total: number): void;
  done(): void;
} {
  const line = createStatusLine(stream);
  return {
    update(sent, total) {
      const share = total === 0 ? 1 : Math.min(1, sent / total);
      const bar = '#'.repeat(Math.round(share * BAR)).padEnd(BAR, '-');
      const text = `Uploading [${bar}] ${Math.floor(share * 100)}% of ${formatBytes(total)}`;
      line.set(text, { onTerminalOnly: true });
    },
    done: () => line.clear(),
  };
}
