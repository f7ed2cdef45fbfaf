// Writes a large answer at the pace of its reader, so that what has been read of it can be told.
import { Readable } from 'node:stream';

/** Answers up to this size are written at once. */
const PIECE = 64 * 1024;

export const isLarge = (bytes: number): boolean => bytes > PIECE;

/** @example reply.header('content-length', answer.length).send(pacedAnswer(answer)) */
export function pacedAnswer(answer: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      const piece = answer.subarray(at, at + PIECE);
      at += piece.length;
      this.push(piece.length > 0 ? piece : null);
    },
  });
}
