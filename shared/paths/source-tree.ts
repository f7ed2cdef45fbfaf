// All names of one upload together: no two may be the same file on a Mac.
import { foldPath } from './fold-path.js';

export type EntryKind = 'file' | 'link' | 'directory';

export type SourceTree = ReturnType<typeof createSourceTree>;

interface Leaf {
  readonly path: string;
  readonly kind: 'file' | 'link';
}

interface Folder {
  readonly path: string;
  readonly kind: 'directory';
  /** By folded name. Folding does not change slashes, so paths collide where their parts do. */
  readonly entries: Map<string, Leaf | Folder>;
}

export function createSourceTree() {
  const root = folder('');
  const folders = new Map<string, Folder>();
  const named = new Set<Folder>();
  /** The folder of the previous path: most files are in the same folder as the previous one. */
  let last = root;

  /** Returns the folder of the path, creating its parents, or why that is not possible. */
  const folderOf = (path: string): Folder | string => {
    const slash = path.lastIndexOf('/');
    if (slash < 0) return root;
    if (slash === last.path.length && path.startsWith(last.path)) return last;
    const found = folderAt(path.slice(0, slash));
    if (typeof found !== 'string') last = found;
    return found;
  };
  const folderAt = (path: string): Folder | string => {
    const known = folders.get(path);
    if (known) return known;
    const above = folderOf(path);
    if (typeof above === 'string') return above;
    const made = folder(path);
    const bad = register(above, made);
    if (bad) return `has the folder ${JSON.stringify(path)}, which ${bad}`;
    folders.set(path, made);
    return made;
  };

  return {
    /** Adds a valid path; returns why it conflicts with an earlier one, or null. */
    add(path: string, kind: EntryKind): string | null {
      if (kind === 'directory') {
        const found = folderAt(path);
        if (typeof found === 'string') return found;
        named.add(found);
        return null;
      }
      const above = folderOf(path);
      return typeof above === 'string' ? above : register(above, { path, kind });
    },
    /** Returns whether the path, in any spelling, is a symbolic link of the tree. */
    isLink(path: string) {
      let at: Leaf | Folder | undefined = root;
      for (const part of path.split('/')) {
        at = at?.kind === 'directory' ? at.entries.get(foldPath(part)) : undefined;
      }
      return at?.kind === 'link';
    },
    /** Returns the number of directories, including those that are only part of a path. */
    folders: () => folders.size,
    /** Yields directories that were added themselves and are empty, in order of addition. */
    *emptyDirectories(): Generator<string, void, undefined> {
      for (const { path, entries } of named) if (entries.size === 0) yield path;
    },
  };
}

const folder = (path: string): Folder => ({ path, kind: 'directory', entries: new Map() });

/** Adds an entry to its folder; returns why it conflicts with an existing one, or null. */
function register({ entries }: Folder, entry: Leaf | Folder): string | null {
  const fold = foldPath(entry.path.slice(entry.path.lastIndexOf('/') + 1));
  const other = entries.get(fold);
  if (!other) {
    entries.set(fold, entry);
    return null;
  }
  if (other.path !== entry.path) {
    return `is the same name as ${JSON.stringify(other.path)} where case or Unicode normalization is ignored`;
  }
  return other.kind === entry.kind ? 'occurs twice' : `is a ${other.kind} and a ${entry.kind}`;
}
