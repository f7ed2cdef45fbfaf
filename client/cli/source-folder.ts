import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliContext } from './context.js';
import { UsageError } from './usage-error.js';

/** Returns the real path of the folder to send (default: the working directory). @throws UsageError when there is none */
export function sourceFolder(context: CliContext, dir: string | undefined): string {
  if (dir?.trim() === '') throw new UsageError('--dir must name a folder (got an empty one)');
  const path = resolve(context.cwd(), dir ?? '.');
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${path} is not a folder`);
  return realpathSync(path);
}
