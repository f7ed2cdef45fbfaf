// The loaded lines of a log, in chunks. Only so much is kept; what is farthest from the window goes first.
import type { LogLine } from '../../../client/types.js';
import { type Line, readLine } from './ansi.js';
import { PLAIN, type Style, styleAfter } from './sgr.js';

export interface ChunksOptions {
  /** Lines of a chunk. */
  readonly size: number;
  /** Most characters of all lines together. */
  readonly mostChars: number;
}

export interface Chunks {
  readonly size: number;
  get(line: number): LogLine | null;
  /** The line with its colors; those of the line before go on in it if that is loaded. */
  read(line: number): Line | null;
  /** Adds lines, or replaces them. @param near the line in the window; what is far from it may be dropped */
  put(lines: readonly LogLine[], near: number): void;
  /** Returns the first line of a chunk that is not loaded, or null. @param total lines of the log */
  missingIn(chunk: number, total: number): number | null;
  clear(): void;
}

interface Chunk {
  readonly lines: (LogLine | undefined)[];
  count: number;
  chars: number;
  /** Of the beginning of each line; undefined after a change. */
  styles: { readonly start: Style; readonly each: readonly Style[]; readonly end: Style } | undefined;
}

export const chunkOf = (line: number, size: number): number => Math.floor((line - 1) / size);

export function createChunks({ size, mostChars }: ChunksOptions): Chunks {
  const chunks = new Map<number, Chunk>();
  let parsed = new WeakMap<LogLine, { start: Style; line: Line }>();
  let chars = 0;

  const stylesOf = (index: number): NonNullable<Chunk['styles']> | null => {
    const chunk = chunks.get(index);
    if (!chunk) return null;
    const before = chunks.get(index - 1);
    const start = before?.lines[size - 1] ? (stylesOf(index - 1)?.end ?? PLAIN) : PLAIN;
    if (chunk.styles?.start === start) return chunk.styles;
    let style = start;
    const each = Array.from({ length: size }, (_, i) => {
      const here = style;
      const line = chunk.lines[i];
      style = line ? styleAfter(line.text, style) : PLAIN;
      return here;
    });
    chunk.styles = { start, each, end: style };
    return chunk.styles;
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
    read(line) {
      const found = get(line);
      if (!found) return null;
      const start = stylesOf(chunkOf(line, size))?.each[(line - 1) % size] ?? PLAIN;
      const known = parsed.get(found);
      if (known?.start === start) return known.line;
      const read = readLine(found.text, start);
      parsed.set(found, { start, line: read });
      return read;
    },
    put(lines, near) {
      for (const line of lines) {
        const index = chunkOf(line.n, size);
        const chunk = chunks.get(index) ?? { lines: [], count: 0, chars: 0, styles: undefined };
        chunks.set(index, chunk);
        const at = (line.n - 1) % size;
        const before = chunk.lines[at];
        const added = line.text.length - (before?.text.length ?? 0);
        if (!before) chunk.count++;
        chunk.lines[at] = line;
        chunk.chars += added;
        chars += added;
        chunk.styles = undefined;
      }
      trim(near);
    },
    missingIn(index, total) {
      const last = Math.min(size, total - index * size);
      const chunk = chunks.get(index);
      if (!chunk) return last > 0 ? index * size + 1 : null;
      if (chunk.count >= last) return null;
      for (let i = 0; i < last; i++) if (!chunk.lines[i]) return index * size + i + 1;
      return null;
    },
    clear() {
      chunks.clear();
      parsed = new WeakMap();
      chars = 0;
    },
  };
}
