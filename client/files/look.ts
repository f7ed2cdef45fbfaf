// Reads the metadata of names: regular files, links, and the files of nested repositories.
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileIndex } from './index-file.js';
import { listStandard, walked } from './listing.js';
import { SelectionError } from './selection-error.js';

const LOOKS_PER_TURN = 2_000;

export interface FoundFile {
  /** Relative to the folder, as on disk. */
  name: string;
  size: number;
  mode: 420 | 493;
  /** Position in the index of a file that has not changed since; -1 when the content must be read. */
  at: number;
  /** Metadata of a file that must be read; null for an unchanged one. */
  stat: Stats | null;
}

export interface Found {
  files: FoundFile[];
  links: string[];
  warnings: string[];
  /** True when every file was in the index, changed or not. */
  allKnown: boolean;
}

/** What the file of a name looks like; undefined when there is none. */
export function look(dir: string, name: string): Stats | undefined {
  try {
    return lstatSync(`${dir}/${name}`, { throwIfNoEntry: false });
  } catch (cause) {
    throw new SelectionError(`cannot read ${name}: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/**
 * Modes of the files whose metadata still equals the index, by position; 0 for the others.
 *
 * Numbers instead of objects: ten thousand long-lived objects cost more than the stat calls.
 */
export async function unchangedModes(dir: string, index: FileIndex): Promise<Uint16Array> {
  const modes = new Uint16Array(index.names.length);
  for (let at = 0; at < modes.length; at++) {
    const stat = look(dir, index.names[at]!);
    if (stat?.isFile() && index.isUnchanged(at, stat)) modes[at] = modeOf(stat);
    // Lets a connection that is being opened make progress.
    if (at % LOOKS_PER_TURN === LOOKS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return modes;
}

/**
 * Looks every name up.
 *
 * @param unchanged see {@link unchangedModes}
 * @param keep decides about names that turn up inside nested repositories
 */
export async function findFiles(
  dir: string,
  names: readonly string[],
  options: {
    env: NodeJS.ProcessEnv;
    index: FileIndex | null;
    unchanged: Uint16Array;
    keep: (name: string) => boolean;
  },
): Promise<Found> {
  const { env, index, unchanged } = options;
  const found: Found = { files: [], links: [], warnings: [], allKnown: true };
  const positionOf = positionsIn(index);
  const isInside = createInsideCheck(dir);

  /** True for a folder, whose own files are still to be listed. */
  const isFolder = (name: string): boolean => {
    const at = positionOf(name);
    if (index && at >= 0 && unchanged[at]) {
      const mode = unchanged[at] === 493 ? 493 : 420;
      found.files.push({ name, size: index.sizeAt(at), mode, at, stat: null });
      return false;
    }
    const stat = look(dir, name);
    if (!stat || !isInside(name)) return false; // Tracked, but deleted or moved in the working tree.
    if (stat.isFile()) {
      if (at < 0) found.allKnown = false;
      found.files.push({ name, size: stat.size, mode: modeOf(stat), at: -1, stat });
    } else if (stat.isSymbolicLink()) {
      found.links.push(name);
    }
    return stat.isDirectory();
  };
  const queue = [...names];
  for (let at = 0; at < queue.length; at++) {
    const name = withoutSlash(queue[at]!);
    if (!isFolder(name)) continue;
    const nested = await listNested(join(dir, name), env);
    found.warnings.push(...nested.warnings);
    for (const inner of nested.names) {
      const path = `${name}/${inner}`;
      if (options.keep(path)) queue.push(path);
    }
  }
  return found;
}

async function listNested(dir: string, env: NodeJS.ProcessEnv) {
  if (existsSync(join(dir, '.git'))) return listStandard(dir, env);
  return walked(dir, env); // A submodule whose .git is not there.
}

const withoutSlash = (name: string) => (name.endsWith('/') ? name.slice(0, -1) : name);

/** The owner's execute bit decides, as for git. */
const modeOf = (stat: Stats) => ((stat.mode & 0o100) === 0 ? 420 : 493);

/** Position of a name in the index. Both have mostly the same order, so the next one is tried first. */
function positionsIn(index: FileIndex | null): (name: string) => number {
  if (!index) return () => -1;
  let expected = 0;
  let positions: Map<string, number> | null = null;
  return (name) => {
    if (index.names[expected] === name) return expected++;
    positions ??= new Map(index.names.map((known, at) => [known, at]));
    const at = positions.get(name) ?? -1;
    if (at >= 0) expected = at + 1;
    return at;
  };
}

/** Recognizes names behind a symbolic link that replaced a folder in git's index. */
function createInsideCheck(dir: string): (name: string) => boolean {
  const folders = new Map<string, boolean>([['.', true]]);
  const isRealFolder = (folder: string): boolean => {
    let real = folders.get(folder);
    if (real === undefined) {
      real = isRealFolder(dirname(folder)) && look(dir, folder)?.isDirectory() === true;
      folders.set(folder, real);
    }
    return real;
  };
  return (name) => isRealFolder(dirname(name));
}
