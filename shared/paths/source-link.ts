import type { SourceTree } from './source-tree.js';

/**
 * Why a symbolic link's target leaves the tree, or null when it stays inside. The whole tree must be known.
 *
 * A `..` behind a link would step out of where that link leads, not out of where it lies, so it is refused:
 * what is left can be followed part by part without ever leaving.
 *
 * @param path where the link lies, relative to the root
 * @param depth how many folders at the beginning of the path it must stay inside of
 */
export function badTarget(path: string, target: string, tree: SourceTree, depth = 0): string | null {
  if (target === '') return 'is a link to nothing';
  if (target.includes('\0')) return 'is a link whose target has a NUL character';
  if (target.startsWith('/')) return 'is a link with an absolute target';
  const at = path.split('/').slice(0, -1);
  let throughLink = false;
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.length <= depth || throughLink) return 'is a link that leads out of the folder';
      at.pop();
    } else {
      at.push(part);
      throughLink ||= tree.isLink(at.join('/'));
    }
  }
  return null;
}
