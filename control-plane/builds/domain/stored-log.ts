// A log that several processes share: in pieces in the database while its build runs, in an object afterwards.
import { bool, bytes, int, type RecordOf, text } from '../../platform/domain/fields.js';

export const storedLogFields = {
  buildId: text(),
  /** Raised by every change. Who changes the log names the version that it has seen. */
  version: int(),
  /** Bytes. */
  length: int(),
  /** Line feeds. */
  feeds: int(),
  /** Whether the log ends with a whole line, or is empty. */
  endsWithLine: bool(),
  /** The bytes from here on are sent again: they arrived before, so they have no time. */
  isResent: bool(),
  /** Entries of its index that mark lines of the service. */
  owned: int(),
  /** When it was changed last, by the clock of a process. */
  writtenAt: int(),
  /** The object for the whole log, named before it is written. */
  objectKey: text().orNull.initially(null),
  /** SHA-256 of the object; null while the pieces are what is read. */
  objectHash: text().orNull.initially(null),
  /** Bytes of the index, an object beside the first. */
  indexBytes: int().initially(0),
  /** Whether the database has pieces of it. */
  hasPieces: bool(),
};
export type StoredLog = RecordOf<typeof storedLogFields>;

export const logPieceFields = {
  buildId: text(),
  /** Offset of the first byte. */
  start: int(),
  /** Line feeds before it. */
  feeds: int(),
  bytes: bytes(),
  /** The part of the index that is about these bytes (`logs/index-entries.ts`); it begins with an entry for the first. */
  entries: bytes(),
};
export type LogPiece = RecordOf<typeof logPieceFields>;

/** Longest piece. */
export const PIECE_BYTES = 128 * 1024;
