// The names of one upload taken together: no two may meet on the disk of a Mac.
import { foldPath } from './source-path.js';

export type EntryKind = 'file' | 'link' | 'directory';

export interface SourceTree {
  /** Why the (valid) path cannot stand beside those added before, or null when it can. */
  add(path: string, kind: EntryKind): string | null;
  /** True when the path, however it is spelt, is a symbolic link of the tree. */
  isLink(path: string): boolean;
  /** Directories that were added themselves and hold nothing, in the order of their addition. */
  emptyDirectories(): string[];
}

interface Entry {
  path: string;
  kind: EntryKind;
}

export function createSourceTree(): SourceTree {
  const entries = new Map<string, Entry>();
  const folders = new Set<string>();
  const named = new Set<string>();
  const filled = new Set<string>();

  /** Registers a folder and those above it; most files lie in a folder that is known already. */
  const addFolder = (path: string): string | null => {
    if (folders.has(path)) return null;
    const above = parent(path);
    const bad = above === null ? null : addFolder(above);
    if (bad) return bad;
    const found = register(path, 'directory');
    if (found) return `has the folder ${JSON.stringify(path)}, which ${found}`;
    folders.add(path);
    if (above !== null) filled.add(above);
    return null;
  };
  const register = (path: string, kind: EntryKind): string | null => {
    const fold = foldPath(path);
    const other = entries.get(fold);
    if (!other) {
      entries.set(fold, { path, kind });
      return null;
    }
    if (other.path !== path)
      return `meets ${JSON.stringify(other.path)} where case or normalisation is ignored`;
    if (other.kind === 'directory' && kind === 'directory') return null;
    return other.kind === kind ? 'comes twice' : `is a ${other.kind} and a ${kind}`;
  };

  return {
    add(path, kind) {
      if (kind === 'directory') {
        const bad = addFolder(path);
        if (!bad) named.add(path);
        return bad;
      }
      const above = parent(path);
      if (above !== null) {
        const bad = addFolder(above);
        if (bad) return bad;
        filled.add(above);
      }
      return register(path, kind);
    },
    isLink: (path) => entries.get(foldPath(path))?.kind === 'link',
    emptyDirectories: () => [...named].filter((path) => !filled.has(path)),
  };
}

function parent(path: string): string | null {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? null : path.slice(0, slash);
}
