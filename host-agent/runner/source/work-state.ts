// What stands in a work folder, as far as the service knows. Unknown means: the folder is emptied first.
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceStep } from '../../caches/source-step.js';
import { unless } from '../../system/errno.js';
import { emptyFolder, removeTree } from '../../system/remove-tree.js';
import { writeAtomic } from '../../system/write-atomic.js';
import { emptyWorkIndex, writeWorkIndex } from './work-index.js';

export type WorkState = { kind: 'upload' } | { kind: 'git'; url: string };

const STATE = 'work';

/** Of an upload: the index of what was laid. */
export const INDEX = 'work-index';

/** The state of the work folder, or null when nothing is known of it. */
export function readWorkState(stateDir: string): WorkState | null {
  const text = unless(['ENOENT'], () => readFileSync(join(stateDir, STATE), 'utf8'));
  const [kind, url, end] = text?.split('\n') ?? [];
  if (kind === 'upload' && url === '') return { kind };
  return kind === 'git' && url && end === '' ? { kind, url } : null;
}

/**
 * Empties the work folder and everything remembered of it. In this order a crash at any point leaves a work folder
 * of which nothing is known, so that the next build empties it again.
 */
export async function resetWorkFolder(
  step: Pick<SourceStep, 'workDir' | 'stateDir' | 'signal'>,
  next: WorkState,
): Promise<void> {
  rmSync(join(step.stateDir, STATE), { force: true });
  await makeRealFolder(step.workDir, step.signal);
  await emptyFolder(step.workDir, step.signal);
  mkdirSync(step.stateDir, { recursive: true, mode: 0o700 });
  await emptyFolder(step.stateDir, step.signal);
  if (next.kind === 'upload') writeWorkIndex(join(step.stateDir, INDEX), emptyWorkIndex());
  const text = next.kind === 'git' ? `git\n${next.url}\n` : 'upload\n';
  writeAtomic(join(step.stateDir, STATE), text, { durable: true });
}

/** The folder itself may have been replaced by a link, a file or nothing, or lost its permissions. */
export async function makeRealFolder(path: string, signal: AbortSignal): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    if ((found.mode & 0o700) !== 0o700) chmodSync(path, (found.mode & 0o777) | 0o700);
    return;
  }
  await removeTree(path, signal);
  mkdirSync(path, { recursive: true, mode: 0o755 });
}
