import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './usage-error.js';

/** The real path of the folder to send. @throws UsageError when there is none */
export function sourceFolder(dir: string | undefined): string {
  const path = resolve(dir ?? '.');
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is not a folder`);
  return realpathSync(path);
}
