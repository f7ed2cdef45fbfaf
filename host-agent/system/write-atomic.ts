import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file atomically: after a crash it has the old content or the new, never a part. With `durable` it is
 * flushed to disk when this returns.
 */
export function writeAtomic(path: string, content: string | Buffer, options: { durable: boolean }): void {
  const temporary = `${path}.new`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(fd, content);
    if (options.durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}
