// The loaded lines of a log, in chunks. Memory is bounded: the chunks farthest from the window are dropped first.
import type { LogLine } from '../../../client/types.js';
import { type Line, readLine } from './ansi.js';
import { PLAIN, type Style, styleAfter } from './sgr.js';

export interface ChunksOptions {
  /** Lines of a chunk. */
  readonly size: number;
  /** Most characters of all lines together. */
  readonly mostChars: number;
}

interface Chunk {
  readonly lines: (LogLine | undefined)[];
  count: number;
  chars: number;
  /** Of the beginning of each line, as far as they are known: to before the first changed line, and to what was read. */
  styles: Style[];
}

export const chunkOf = (line: number, size: number): number => Math.floor((line - 1) / size);

export function createChunks({ size, mostChars }: ChunksOptions) {
  const chunks = new Map<number, Chunk>();
  let parsed = new WeakMap<LogLine, { start: Style; line: Line }>();
  let chars = 0;

  /** The style at the beginning of a line of a chunk; `at` may be one after its last. */
  const styleAt = (index: number, at: number): Style => {
    const chunk = chunks.get(index);
    if (!chunk) return PLAIN;
    const { styles } = chunk;
    const before = chunks.get(index - 1)?.lines[size - 1] ? styleAt(index - 1, size) : PLAIN;
    if (styles[0] !== before) styles.splice(0, styles.length, before);
    for (let i = styles.length; i <= at; i++) {
      const line = chunk.lines[i - 1];
      styles.push(line ? styleAfter(line.text, styles[i - 1] ?? PLAIN) : PLAIN);
    }
    return styles[at] ?? PLAIN;
  };
  const trim = (near: number) => {
    const here = chunkOf(near, size);
    const farthest = [...chunks.keys()].sort((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const index of farthest) {
      if (chars <= mostChars || Math.abs(index - here) <= 1) return;
      chars -= chunks.get(index)?.chars ?? 0;
      chunks.delete(index);
    }
  };
  const get = (line: number) => chunks.get(chunkOf(line, size))?.lines[(line - 1) % size] ?? null;

  return {
    size,
    get,
    /**
     * The line with its colors; those of the line before go on in it if that is loaded.
     *
     * @param parses false: returns null instead of parsing the line now
     */
    read(line: number, parses: boolean = true): Line | null {
      const found = get(line);
      if (!found) return null;
      const start = styleAt(chunkOf(line, size), (line - 1) % size);
      const known = parsed.get(found);
      if (known?.start === start) return known.line;
      if (!parses) return null;
      const read = readLine(found.text, start);
      parsed.set(found, { start, line: read });
      return read;
    },
    /** Adds lines, or replaces them. @param near the line in the window; what is far from it may be dropped */
    put(lines: readonly LogLine[], near: number): void {
      for (const line of lines) {
        const index = chunkOf(line.n, size);
        const chunk = chunks.get(index) ?? { lines: [], count: 0, chars: 0, styles: [] };
        chunks.set(index, chunk);
        const at = (line.n - 1) % size;
        const before = chunk.lines[at];
        const added = line.text.length - (before?.text.length ?? 0);
        if (!before) chunk.count++;
        chunk.lines[at] = line;
        chunk.chars += added;
        chars += added;
        chunk.styles.length = Math.min(chunk.styles.length, at + 1);
      }
      trim(near);
    },
    /** Returns the first line of a chunk that is not loaded, or null. @param total lines of the log */
    missingIn(index: number, total: number): number | null {
      const last = Math.min(size, total - index * size);
      const chunk = chunks.get(index);
      if (!chunk) return last > 0 ? index * size + 1 : null;
      if (chunk.count >= last) return null;
      for (let i = 0; i < last; i++) if (!chunk.lines[i]) return index * size + i + 1;
      return null;
    },
    clear(): void {
      chunks.clear();
      parsed = new WeakMap();
      chars = 0;
    },
  };
}
