// Worst-case lines for the patterns of the failure table: for every row, pieces of its example, repeated up to the
// scanned length, so that patterns are tried at many positions and fail late.
import { failureTable } from '../control-plane/builds/domain/failure-table.js';

const LENGTH = 4095;
const fill = (start: string, piece: string): string =>
  `${(start + piece.repeat(Math.ceil(LENGTH / piece.length))).slice(0, LENGTH)}\u0001`;

export function hostileLines(): string[] {
  const lines = failureTable.flatMap(({ example, words }) =>
    example.split('\n').flatMap((line) => {
      const word = words[0] ?? '';
      const parts = [':', ': ', ' '].flatMap((cut) => line.split(cut).map((part) => `${part}${cut}`));
      const pieces = [line.slice(0, -1), line.slice(1), word, `${word} `, `${word}a`, `a${word}: `, ...parts];
      return pieces
        .filter((piece) => piece.trim() !== '')
        .flatMap((piece) => [fill('', piece), fill(line.slice(0, line.length >> 1), piece)]);
    }),
  );
  return [...new Set(lines)];
}
