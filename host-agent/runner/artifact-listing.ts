// Lists what a build put into CIDERMILL_ARTIFACTS: files, bundles, links to files, and what has to be left out.
import { chmod, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { isBundleName } from '../../shared/archive/bundle.js';
import { isErrno } from '../../shared/errno.js';
import { isMetadataName } from '../../shared/paths/metadata-name.js';
import type { LeftOut } from '../contract/artifact-warnings.js';
import { takeTurns } from '../system/turns.js';

// macOS limits paths to 1,024 bytes, the last name of up to 255 included.
const LONGEST_PATH_BYTES = 1023 - 256;
const SLASH = Buffer.from('/');
const ENTRIES_PER_TURN = 256;

/** Names may not be UTF-8, so paths stay bytes. */
export interface FoundFile {
  kind: 'file';
  path: Buffer;
  /** Relative to the artifacts folder, not masked yet. */
  name: string;
  bytes: number;
  executable: boolean;
  /** The content has another name as well, so it has to be copied. */
  shared: boolean;
}

export interface FoundBundle {
  kind: 'bundle';
  path: Buffer;
  name: string;
}

export type Found = FoundFile | FoundBundle;

/** Returns what was found, in no order. The folder itself may have been removed, or replaced by anything. */
export async function listArtifacts(folder: string, leftOut: LeftOut, signal: AbortSignal): Promise<Found[]> {
  const top = await lstat(folder).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  });
  if (!top) return [];
  if (!top.isDirectory()) {
    leftOut.replaced();
    return [];
  }
  const root = await realpath(Buffer.from(folder), { encoding: 'buffer' });
  const found: Found[] = [];
  const links: { path: Buffer; name: string }[] = [];
  const turn = takeTurns(signal, ENTRIES_PER_TURN);
  const waiting = [{ path: root, name: '' }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.path.length > LONGEST_PATH_BYTES) {
      leftOut.add('other', at.name);
      continue;
    }
    // Files cannot be moved out of a folder without write permission.
    await chmod(at.path, 0o700);
    const entries = await readdir(at.path, { encoding: 'buffer', withFileTypes: true });
    for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
      await turn();
      const path = Buffer.concat([at.path, SLASH, entry.name]);
      const entryName = entry.name.toString('utf8');
      const name = at.name === '' ? entryName : `${at.name}/${entryName}`;
      if (isMetadataName(entryName)) leftOut.add('metadata', name);
      else if (entry.isDirectory() && isBundleName(entryName)) found.push({ kind: 'bundle', path, name });
      else if (entry.isDirectory()) waiting.push({ path, name });
      else if (entry.isSymbolicLink()) links.push({ path, name });
      else if (entry.isFile()) {
        const { size, nlink, mode } = await lstat(path);
        // Another name of the same file may be in the work folder, where the next build would change it.
        found.push({
          kind: 'file',
          path,
          name,
          bytes: size,
          executable: isExecutable(mode),
          shared: nlink > 1,
        });
      } else leftOut.add('other', name);
    }
  }
  // Links are resolved once every folder can be read.
  const files = new Map(found.flatMap((one) => (one.kind === 'file' ? [[keyOf(one.path), one]] : [])));
  for (const { path, name } of links) {
    await turn();
    const target = await fileBehind(path, root);
    if (target === null) {
      leftOut.add('link', name);
      continue;
    }
    const original = files.get(keyOf(target.path));
    if (original) original.shared = true;
    found.push({ kind: 'file', name, ...target, shared: true });
  }
  return found;
}

/** By its owner. */
const isExecutable = (mode: number) => (mode & 0o100) !== 0;

const keyOf = (path: Buffer) => path.toString('latin1');

/** Returns the regular file inside the root that a link points to, or null. */
async function fileBehind(
  link: Buffer,
  root: Buffer,
): Promise<Pick<FoundFile, 'path' | 'bytes' | 'executable'> | null> {
  try {
    const path = await realpath(link, { encoding: 'buffer' });
    const inside = path.subarray(0, root.length + 1).equals(Buffer.concat([root, SLASH]));
    if (!inside) return null;
    const below = path.subarray(root.length + 1).toString('utf8');
    if (below.split('/').some(isMetadataName)) return null;
    const found = await stat(path);
    return found.isFile() ? { path, bytes: found.size, executable: isExecutable(found.mode) } : null;
  } catch (error) {
    for (const code of ['ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG']) {
      if (isErrno(error, code)) return null;
    }
    throw error;
  }
}
