import { chmodSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isErrno } from '../../shared/errno.js';

const EXECUTABLE = 0o111;

/**
 * On macOS, node-pty starts processes through a helper program, which its package (1.1.0) ships without execute
 * permission; every start would fail with "posix_spawnp failed". Adds that permission.
 *
 * @throws the error of chmod when the package belongs to another user
 */
export function makeSpawnHelperExecutable(
  packageFolder = path.dirname(createRequire(import.meta.url).resolve('node-pty/package.json')),
  platform: string = process.platform,
): void {
  if (platform !== 'darwin') return;
  for (const folder of ['build/Release', `prebuilds/darwin-${process.arch}`]) {
    const helper = path.join(packageFolder, folder, 'spawn-helper');
    const mode = modeOf(helper);
    if (mode !== null && (mode & EXECUTABLE) !== EXECUTABLE) chmodSync(helper, mode | EXECUTABLE);
  }
}

function modeOf(file: string): number | null {
  try {
    return statSync(file).mode & 0o7777;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}
