// The attempt's log on this host's disk: masked bytes, append-only, with the hash of what was actually written.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, writeSync } from 'node:fs';

export interface Spool {
  /** Appends all bytes. Throws errors of the file system (ENOSPC); what was written before still counts. */
  write(bytes: Buffer): void;
  bytes(): number;
  /** Flushes to disk (fsync). Throws like write. */
  sync(): void;
  /** Returns whether `file` still is this log, with exactly what was written. */
  isAt(file: string): boolean;
  /**
   * Copies the log to a new file, even if its own file has been deleted. Returns false, and leaves the new file
   * empty, when the content is not what was written.
   */
  copyTo(file: string): boolean;
  close(): { bytes: number; sha256: string };
}

const PIECE = 1024 * 1024;

/** @param writeTo write(2); replaced by tests to simulate a full disk */
export function openSpool(
  file: string,
  writeTo: (fd: number, bytes: Buffer, offset: number) => number = (fd, bytes, offset) => writeSync(fd, bytes, offset),
): Spool {
  const fd = openSync(file, 'a+', 0o600);
  const { mode } = fstatSync(fd);
  const hash = createHash('sha256');
  let length = 0;

  const copy = (to: number): boolean => {
    const found = createHash('sha256');
    const piece = Buffer.allocUnsafe(Math.min(PIECE, length));
    for (let at = 0; at < length; ) {
      const read = readSync(fd, piece, 0, Math.min(piece.length, length - at), at);
      if (read === 0) return false;
      const bytes = piece.subarray(0, read);
      found.update(bytes);
      for (let done = 0; done < read; ) done += writeSync(to, bytes, done);
      at += read;
    }
    fsyncSync(to);
    return found.digest('hex') === hash.copy().digest('hex');
  };

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const written = writeTo(fd, bytes, at);
        hash.update(bytes.subarray(at, at + written));
        at += written;
        length += written;
      }
    },
    bytes: () => length,
    sync: () => fsyncSync(fd),
    isAt(place) {
      const opened = fstatSync(fd);
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (!found?.isFile() || found.ino !== opened.ino || found.dev !== opened.dev) return false;
      return opened.size === length && opened.mode === mode;
    },
    copyTo(place) {
      const to = openSync(place, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        if (copy(to)) return true;
      } finally {
        closeSync(to);
      }
      closeSync(openSync(place, 'w'));
      return false;
    },
    close() {
      closeSync(fd);
      return { bytes: length, sha256: hash.digest('hex') };
    },
  };
}
