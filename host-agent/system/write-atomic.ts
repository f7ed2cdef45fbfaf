import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file of the service's own state: after a crash it holds the old content or the new, never a part.
 * With `durable` it is on disk, not only in the system's memory, when this returns.
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
