// The attempt's log on this host's disk: masked bytes, only ever appended, with the hash of what really was written.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

export interface Spool {
  /** Appends all of it. Throws what the file system throws (ENOSPC); what had been written by then still counts. */
  write(bytes: Buffer): void;
  bytes(): number;
  /** Puts what was written on the disk itself. Throws like write. */
  sync(): void;
  close(): { bytes: number; sha256: string };
}

/** @param writeTo write(2); given by tests that need a disk to be full */
export function openSpool(
  file: string,
  writeTo: (fd: number, bytes: Buffer, offset: number) => number = (fd, bytes, offset) =>
    writeSync(fd, bytes, offset),
): Spool {
  const fd = openSync(file, 'a', 0o600);
  const hash = createHash('sha256');
  let length = 0;
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
    close() {
      closeSync(fd);
      return { bytes: length, sha256: hash.digest('hex') };
    },
  };
}
