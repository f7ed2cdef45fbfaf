// The path of a build's output: batches of raw bytes -> masker -> service line guard -> window -> spool.

import { visibleText } from '../../shared/clean-text.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { BuildMask } from './build-mask.js';
import type { LogWindow } from './log-window.js';
import { createServiceLineGuard } from './service-lines.js';

export interface BuildLog {
  /** Writes bytes as the build printed them. They are copied. */
  write(chunk: Buffer): void;
  /** Writes a line of the service: prefixed with `[cidermill] `, on a line of its own. */
  line(text: string): void;
  /** Writes everything that is held back. Nothing can be written afterwards. */
  end(): { omittedBytes: number };
}

/**
 * Collects output in batches, because a pty mostly delivers little at a time. A batch is passed on when it is full,
 * or a few milliseconds after the previous one. So a flood causes few writes, and the first line after silence is not
 * delayed. In a flood, batches get a little longer to fill, because three other processes handle each one.
 *
 * When the window cannot be written (disk full), `onBroken` is called once and all later output is dropped.
 */
export function createBuildLog(options: {
  mask: Pick<BuildMask, 'stream' | 'text'>;
  window: LogWindow;
  clock: Clock;
  batchBytes: number;
  batchMs: number;
  floodBytes: number;
  floodMs: number;
  onWritten: () => void;
  onBroken: (error: unknown) => void;
}): BuildLog {
  const { mask, window, clock } = options;
  const guard = createServiceLineGuard();
  let masker = mask.stream();
  const batch = Buffer.allocUnsafe(options.batchBytes);
  let filled = 0;
  let lastFlush = Number.NEGATIVE_INFINITY;
  let pace = options.batchMs;
  let timer: Timer | null = null;
  let broken = false;

  const guarded = <T>(fn: () => T): T | null => {
    if (broken) return null;
    try {
      return fn();
    } catch (error) {
      broken = true;
      options.onBroken(error);
      return null;
    }
  };
  const pass = (masked: Buffer) => {
    const bytes = guard.write(masked);
    window.write(bytes);
  };
  const passOn = (bytes: Buffer) => {
    pace = bytes.length >= options.floodBytes ? options.floodMs : options.batchMs;
    lastFlush = clock.monotonic();
    guarded(() => pass(masker.write(bytes)));
    options.onWritten();
  };
  const flush = () => {
    timer?.cancel();
    timer = null;
    if (filled === 0) return;
    const bytes = batch.subarray(0, filled);
    filled = 0;
    passOn(bytes);
  };
  const add = (chunk: Buffer) => {
    if (chunk.length === 0) return;
    if (chunk.length >= batch.length / 2) {
      flush();
      return passOn(chunk);
    }
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(batch, filled, at);
      filled += taken;
      at += taken;
      if (filled === batch.length) flush();
    }
    if (filled > 0 && timer === null) {
      const wait = lastFlush + pace - clock.monotonic();
      if (wait > 0) timer = clock.setTimeout(flush, wait);
      else flush();
    }
  };

  return {
    write: add,
    line(text) {
      flush();
      guarded(() => {
        // Bytes that the masker holds back belong before this line. The line is masked separately, because it must
        // not pass the guard.
        pass(masker.end());
        masker = mask.stream();
        // The line may contain names and messages from the build.
        const lines = visibleText(mask.text(text).replace(/\r\n?/g, '\n'), '\n');
        window.writeOwn(`[cidermill] ${lines.replaceAll('\n', '\n[cidermill] ')}`);
        guard.newLine();
      });
      options.onWritten();
    },
    end() {
      flush();
      const rest = guarded(() => {
        pass(masker.end());
        return window.end();
      });
      return rest ?? { omittedBytes: 0 };
    },
  };
}
