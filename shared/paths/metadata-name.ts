// Names of folders in which version control systems keep their state. Their configuration can name commands that a
// plain `git status` or `hg status` runs, so files from somebody else must never be written there.
import { foldPath } from './fold-path.js';

/** Code points that some file systems ignore in names, as HFS+ does with U+200C. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** NTFS: `.git:stream` and `.git. .` open `.git`. */
const NTFS_TAIL = /(:.*|[. ]+)$/s;
const NOT_PLAIN = /[^\w.-]/;

/**
 * Returns whether a file system may open `.git` under this name: different case, ignored code points, the short name
 * `git~1`, an NTFS stream or trailing dots and spaces, or a backslash as separator.
 *
 * @param part one part of a path
 * @example isGitName('.GIT'); isGitName('git~1'); isGitName('.g\u200cit') // true
 */
export function isGitName(part: string): boolean {
  return aliasesOf(part).some((name) => name === '.git' || name === 'git~1');
}

const OTHERS = new Set(['.hg', '.jj', '.svn', '.bzr', '_darcs']);
const SHORT_NAME = /^(hg|jj|svn|bzr|_darcs)~\d$/;

/**
 * The same for every version control system whose folder may name commands: git, Mercurial, Jujutsu, Subversion,
 * Bazaar, Darcs.
 */
export function isMetadataName(part: string): boolean {
  return isGitName(part) || aliasesOf(part).some((name) => OTHERS.has(name) || SHORT_NAME.test(name));
}

/** Returns the folded names that file systems may take the part for. */
function aliasesOf(part: string): string[] {
  if (!NOT_PLAIN.test(part)) return [withoutTail(part.toLowerCase())];
  return part.split('\\').map((name) => withoutTail(foldPath(name.replace(IGNORABLE, ''))));
}

function withoutTail(name: string): string {
  let bare = name;
  for (let shorter = bare.replace(NTFS_TAIL, ''); shorter !== bare; shorter = bare.replace(NTFS_TAIL, '')) {
    bare = shorter;
  }
  return bare;
}
