// The .git of the work folder: self-contained (no mirror, cache or other Mac is needed to use it), at a detached
// HEAD, rewritten for each build except for its objects. The service never runs git in it.
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { credentialFileSection } from '../../caches/git-credentials.js';
import { listPacks } from '../../caches/git-mirror.js';
import { type GitContext, GitError, git } from '../../caches/git-process.js';
import type { GitRemote } from '../../caches/git-remote.js';
import { isCompletePack } from '../../system/hash-file.js';
import { removeTree } from '../../system/remove-tree.js';
import type { GitPlace } from './git-checkout.js';
import type { Submodule } from './git-submodules.js';
import { readState, writeState } from './state-file.js';
import { createWorkFolders } from './work-folders.js';

const packsShape = z.object({ packs: z.array(z.string()) });

export interface GitFolder {
  place: GitPlace;
  mirror: string;
  remote: GitRemote;
  commit: string;
  /** The index of these files. */
  index: string;
  submodules: readonly Submodule[];
  token: string | null;
  /** See MaterializeInput. */
  copied: boolean;
}

/**
 * Writes the .git of the work folder. The caller holds the mirror's lock, so that no pack is deleted while it is
 * copied.
 */
export async function writeGitFolder(context: GitContext, folder: GitFolder): Promise<void> {
  const path = join(folder.place.workDir, '.git');
  await keepObjectsOnly(folder.place.workDir, context.signal);
  await copyPacks(folder, join(path, 'objects/pack'), context.signal);
  mkdirSync(join(path, 'refs'));
  writeFileSync(join(path, 'HEAD'), `${folder.commit}\n`);
  writeFileSync(join(path, 'config'), configOf(folder));
  writeFileSync(join(path, 'packed-refs'), await packedRefs(context, folder.mirror));
  copyFileSync(folder.index, join(path, 'index'), constants.COPYFILE_EXCL);
}

/** Deletes everything that a build may have changed: branches, hooks, configuration, locks, links. */
async function keepObjectsOnly(workDir: string, signal: AbortSignal): Promise<void> {
  const folders = createWorkFolders(workDir, signal);
  await folders.make('.git');
  const path = join(workDir, '.git');
  for (const name of readdirSync(path, { encoding: 'buffer' })) {
    if (name.toString() !== 'objects') await removeTree(Buffer.concat([Buffer.from(`${path}/`), name]), signal);
  }
  await folders.make('.git/objects');
  await removeTree(join(path, 'objects/info'), signal);
  await folders.make('.git/objects/pack');
}

/**
 * Copies missing packs from the mirror (cloned where the file system supports it), and deletes packs that the mirror
 * has repacked since.
 */
async function copyPacks({ place, mirror }: GitFolder, to: string, signal: AbortSignal): Promise<void> {
  const statePath = join(place.stateDir, 'packs.json');
  const before = readState(statePath, packsShape)?.packs ?? [];
  const packs = listPacks(mirror);
  writeState(statePath, { packs: [...new Set([...before, ...packs])] }, { durable: false });
  const from = join(mirror, 'objects/pack');
  for (const pack of packs) for (const name of partsOf(pack)) await copyPart(from, to, name, signal);
  for (const pack of before) {
    if (packs.includes(pack)) continue;
    for (const name of partsOf(pack)) rmSync(join(to, name), { force: true });
  }
  writeState(statePath, { packs }, { durable: false });
}

/** The index comes last: git considers a pack complete when it has an index. */
function partsOf(pack: string): string[] {
  return ['.pack', '.rev', '.idx'].map((ending) => pack.replace(/\.pack$/, ending));
}

async function copyPart(from: string, to: string, name: string, signal: AbortSignal): Promise<void> {
  const source = lstatSync(join(from, name), { throwIfNoEntry: false });
  if (!source) return;
  const target = join(to, name);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === source.size) return;
  // A checkout reads only parts of the packs, so other damage would not be detected elsewhere.
  if (!(await isCompletePack(join(from, name), signal)))
    throw new GitError('copy', `${name} is corrupt`, { local: true });
  rmSync(target, { recursive: true, force: true });
  copyFileSync(join(from, name), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function configOf({ remote, submodules, token, copied }: GitFolder): string {
  const lines = [
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true',
    ...(process.platform === 'darwin' ? ['\tignorecase = true\n\tprecomposeunicode = true'] : []),
    // Inodes and change times of a copy are not those in the index; git would read every file.
    ...(copied ? ['\tcheckstat = minimal\n\ttrustctime = false'] : []),
    `[remote "origin"]\n\turl = ${quote(remote.url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
    ...submodules.map(({ name, url }) => `[submodule ${quote(name)}]\n\tactive = true\n\turl = ${quote(url)}`),
  ];
  const withToken = token !== null && remote.origin.startsWith('http');
  return `${lines.join('\n')}\n${withToken ? credentialFileSection(remote.origin, token) : ''}`;
}

function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Returns the mirror's branches as remote branches, and its tags. */
async function packedRefs(context: GitContext, mirror: string): Promise<string> {
  const format = '--format=%(objectname) %(refname) %(*objectname)';
  const output = await git(context, ['for-each-ref', format, 'refs/heads', 'refs/tags'], {
    cwd: mirror,
    env: { GIT_DIR: mirror },
  });
  const refs = output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [id, name, peeled] = line.split(' ');
      if (!id || !name) return [];
      const here = name.replace(/^refs\/heads\//, 'refs/remotes/origin/');
      return [{ name: Buffer.from(here), text: `${id} ${here}\n${peeled ? `^${peeled}\n` : ''}` }];
    });
  refs.sort((a, b) => a.name.compare(b.name));
  return `# pack-refs with: peeled fully-peeled sorted \n${refs.map((ref) => ref.text).join('')}`;
}
