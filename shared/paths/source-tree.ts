// The names of one upload taken together: no two may meet on the disk of a Mac.
import { foldPath } from './fold-path.js';

export type EntryKind = 'file' | 'link' | 'directory';

export interface SourceTree {
  /** Why the (valid) path cannot stand beside those added before, or null when it can. */
  add(path: string, kind: EntryKind): string | null;
  /** True when the path, however it is spelt, is a symbolic link of the tree. */
  isLink(path: string): boolean;
  /** How many directories there are, also those that are only part of a path. */
  folders(): number;
  /** Directories that were added themselves and hold nothing, in the order of their addition. */
  emptyDirectories(): string[];
}

interface Leaf {
  readonly path: string;
  readonly kind: 'file' | 'link';
}

interface Folder {
  readonly path: string;
  readonly kind: 'directory';
  /** By their folded names: no slash is touched by folding, so that paths meet where their parts do. */
  readonly entries: Map<string, Leaf | Folder>;
}

export function createSourceTree(): SourceTree {
  const root = folder('');
  const folders = new Map<string, Folder>();
  const named = new Set<Folder>();
  /** Of the path before: most files lie beside the one before them. */
  let last = root;

  /** The folder in which the path lies, made with those above it; or why it cannot be. */
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
    add(path, kind) {
      if (kind === 'directory') {
        const found = folderAt(path);
        if (typeof found === 'string') return found;
        named.add(found);
        return null;
      }
      const above = folderOf(path);
      return typeof above === 'string' ? above : register(above, { path, kind });
    },
    isLink(path) {
      let at: Leaf | Folder | undefined = root;
      for (const part of path.split('/')) {
        at = at?.kind === 'directory' ? at.entries.get(foldPath(part)) : undefined;
      }
      return at?.kind === 'link';
    },
    folders: () => folders.size,
    emptyDirectories: () => [...named].filter(({ entries }) => entries.size === 0).map(({ path }) => path),
  };
}

const folder = (path: string): Folder => ({ path, kind: 'directory', entries: new Map() });

/** Puts an entry into its folder, unless something is there; then why not. */
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
  return other.kind === entry.kind ? 'comes twice' : `is a ${other.kind} and a ${entry.kind}`;
}
