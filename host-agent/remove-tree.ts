import { execFile } from 'node:child_process';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { isErrno } from './durable-file.js';

const run = promisify(execFile);

/**
 * Removes a folder with everything below it, also where a build left folders that nobody may write to (module caches
 * do) or, on macOS, files marked immutable. Links are removed, never followed. Harmless when there is nothing.
 */
export async function removeTree(target: string): Promise<void> {
  try {
    await rm(target, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!isErrno(error, 'EACCES') && !isErrno(error, 'EPERM') && !isErrno(error, 'ENOTEMPTY')) throw error;
    await openUp(target);
    await rm(target, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openUp(target: string): Promise<void> {
  if (process.platform === 'darwin') await run('/usr/bin/chflags', ['-R', '-P', 'nouchg', target]);
  const waiting = [target];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (!(await lstat(folder)).isDirectory()) continue;
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) waiting.push(path.join(folder, entry.name));
    }
  }
}
