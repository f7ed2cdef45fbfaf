// Makes a folder equal to a commit, like `git reset --hard`, but with an index and a repository that no build can
// access: a .git that a build has written to could make git run commands or write elsewhere.
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { gitErrorKind } from '../../caches/git-failure.js';
import { endOrphan } from '../../caches/git-orphan.js';
import { type GitContext, GitError, git, runGit } from '../../caches/git-process.js';
import { emptyFolder, removeTree } from '../../system/remove-tree.js';
import { takeTurns } from '../../system/turns.js';
import { readState, writeState } from './state-file.js';
import { createWorkFolders, parentOf } from './work-folders.js';

const SUBMODULE = '160000';

/** The folder of a repository's files, and the folder of the service's state about it. */
export interface GitPlace {
  workDir: string;
  stateDir: string;
}

const checkoutState = z.object({
  /** The commit of a checkout in progress, written before it begins, so that an interrupted one can be completed. */
  laying: z.string().nullable(),
});

export interface Checkout {
  changed: number;
  removed: number;
  bytes: number;
  /** The index of these files. */
  index: string;
}

/** @param say writes a line to the log when the folder had to be emptied */
export async function checkOut(
  context: GitContext,
  mirror: string,
  commit: string,
  place: GitPlace,
  say: (line: string) => void,
): Promise<Checkout> {
  const { workDir, stateDir } = place;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const index = join(stateDir, 'index');
  const statePath = join(stateDir, 'checkout.json');
  const options = { cwd: workDir, env: { GIT_DIR: mirror, GIT_WORK_TREE: workDir, GIT_INDEX_FILE: index } };
  const note = join(stateDir, 'git-process');
  const readTree = (tree: string) => git(context, ['read-tree', '--reset', '-u', tree], { ...options, note });
  const startOver = async () => {
    rmSync(statePath, { force: true });
    rmSync(index, { force: true });
    await emptyFolder(workDir, context.signal);
  };

  await endOrphan(note, context);
  // Left over from a killed git; only one build at a time uses this folder.
  rmSync(`${index}.lock`, { force: true });
  const state = readState(statePath, checkoutState);
  if (!state) await startOver();
  else if (state.laying !== null) {
    // Files of the interrupted checkout are not in the index yet; completing it adds them.
    await readTree(state.laying).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      return startOver();
    });
  }

  let changes = await compare(context, commit, options, index);
  await removeFormerSubmodules(place, changes, context.signal);
  writeState(statePath, { laying: commit }, { durable: false });
  try {
    await readTree(commit);
  } catch (error) {
    if (!(error instanceof GitError) || ['damaged', 'disk_full'].includes(gitErrorKind(error))) throw error;
    say('The work folder could not be brought up to date in place; starting from an empty one.');
    await startOver();
    changes = null;
    await readTree(commit);
  }
  writeState(statePath, { laying: null }, { durable: false });

  const written = changes?.written ?? split(await git(context, ['ls-files', '-z'], options));
  return { changed: written.length, removed: changes?.removed ?? 0, bytes: sizeOf(workDir, written), index };
}

interface Changes {
  written: string[];
  removed: number;
  formerSubmodules: string[];
}

/** Returns what a checkout of the commit will change; null when there is no index, so everything is written. */
async function compare(
  context: GitContext,
  commit: string,
  options: { cwd: string; env: Record<string, string> },
  index: string,
): Promise<Changes | null> {
  if (!existsSync(index)) return null;
  await restoreModes(options.cwd, split(await git(context, ['ls-files', '-z'], options)), context.signal);
  // A file that was only touched keeps its time, because its content is compared here. Exit code 1: some files
  // differ.
  await runGit(context, ['update-index', '-q', '--ignore-submodules', '--refresh'], options);
  const inTree = await git(context, ['diff-files', '--ignore-submodules=all', '--name-only', '-z'], options);
  const inCommit = await git(
    context,
    ['diff-index', '--cached', '-R', '--raw', '--no-renames', '--ignore-submodules=none', '-z', commit],
    options,
  );
  const written = new Set(split(inTree));
  const changes: Changes = { written: [], removed: 0, formerSubmodules: [] };
  const parts = split(inCommit);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode, newMode, , , status] = parts[at]!.slice(1).split(' ');
    const path = parts[at + 1]!;
    if (oldMode === SUBMODULE && newMode !== SUBMODULE) changes.formerSubmodules.push(path);
    if (status === 'D') {
      written.delete(path);
      changes.removed += 1;
    } else written.add(path);
  }
  return { ...changes, written: [...written] };
}

/** Restores permissions that git needs but does not check: access to folders, reading and writing of files. */
async function restoreModes(workDir: string, paths: readonly string[], signal: AbortSignal): Promise<void> {
  const folders = createWorkFolders(workDir, signal);
  const turn = takeTurns(signal, 512);
  for (const path of paths) {
    await turn();
    if (!folders.isReal(folderOf(path))) continue;
    const name = inside(workDir, path);
    const found = lstatSync(name, { throwIfNoEntry: false });
    // Another name of the same file, perhaps outside the work folder, must not change with it.
    if (!found?.isFile() || found.nlink > 1) continue;
    const plain = (found.mode & 0o7000) === 0 && (found.mode & 0o600) === 0o600;
    if (!plain) chmodSync(name, (found.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** The folder of a former submodule contains files that the index does not list, so git would keep it. */
async function removeFormerSubmodules(place: GitPlace, changes: Changes | null, signal: AbortSignal): Promise<void> {
  const folders = createWorkFolders(place.workDir, signal);
  for (const path of changes?.formerSubmodules ?? []) {
    if (folders.isReal(folderOf(path))) await removeTree(inside(place.workDir, path), signal);
  }
}

/** Splits file names printed with -z; as latin1, because they may not be UTF-8. */
function split(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

function folderOf(path: string): string {
  return Buffer.from(parentOf(path), 'latin1').toString();
}

function inside(workDir: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${workDir}/`), Buffer.from(path, 'latin1')]);
}

function sizeOf(workDir: string, paths: readonly string[]): number {
  let bytes = 0;
  for (const path of paths) {
    const found = lstatSync(inside(workDir, path), { throwIfNoEntry: false });
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}
