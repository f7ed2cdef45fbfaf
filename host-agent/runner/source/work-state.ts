// What the work folder contains, as far as the service knows. When that is unknown, the folder is emptied first.
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../../shared/durable-file.js';
import { unless } from '../../../shared/errno.js';
import type { SourceStep } from '../../caches/source-step.js';
import { emptyFolder, removeTree } from '../../system/remove-tree.js';
import { emptyWorkIndex, writeWorkIndex } from './work-index.js';

export type WorkState = { kind: 'upload' } | { kind: 'git'; url: string };

const STATE = 'work';

/** Name of the index of an upload. */
export const INDEX = 'work-index';

/** Returns the state of the work folder, or null when it is unknown. */
export function readWorkState(stateDir: string): WorkState | null {
  const text = unless(['ENOENT'], () => readFileSync(join(stateDir, STATE), 'utf8'));
  const [kind, url, end] = text?.split('\n') ?? [];
  if (kind === 'upload' && url === '') return { kind };
  return kind === 'git' && url && end === '' ? { kind, url } : null;
}

/**
 * Empties the work folder and its state. In this order a crash at any point leaves a work folder of unknown state,
 * which the next build empties again.
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
  writeDurably(join(step.stateDir, STATE), text, { durable: true });
}

/** Makes the path a real folder: it may have been replaced by a link or a file, deleted, or lost its permissions. */
export async function makeRealFolder(path: string, signal: AbortSignal, mode = 0o755): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    if ((found.mode & 0o700) !== 0o700) chmodSync(path, (found.mode & 0o777) | 0o700);
    return;
  }
  await removeTree(path, signal);
  mkdirSync(path, { recursive: true, mode });
}

/** Does the same for a folder of the host that only its account may read: other accounts of the machine see no sources. */
export async function makePrivateFolder(path: string, signal: AbortSignal): Promise<void> {
  await makeRealFolder(path, signal, 0o700);
  if ((lstatSync(path).mode & 0o777) !== 0o700) chmodSync(path, 0o700);
}
