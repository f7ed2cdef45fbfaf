import type { SourceTree } from './source-tree.js';

/**
 * Returns why a symbolic link's target leaves the tree, or null when it stays inside. The whole tree must be known.
 *
 * A `..` after a link would leave the link's target, not its folder, so it is refused: the remaining path can be
 * followed part by part without leaving the tree.
 *
 * @param path path of the link, relative to the root
 * @param depth number of leading folders of the path that it must stay inside
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
