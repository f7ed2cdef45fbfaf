// Which artifacts may be saved, and where below the target. Their names come from the build and are not trusted.
import { badArtifactName } from '../../shared/paths/artifact-name.js';
import { foldPath } from '../../shared/paths/fold-path.js';
import { isMetadataName } from '../../shared/paths/metadata-name.js';

const LONGEST_NAME_BYTES = 255;
const REPOSITORY_NAMES = ['head', 'commondir', 'objects', 'refs'];

export const MAKES_REPOSITORY = 'its folder would become a git repository';

export type Planned = { parts: string[]; reason: null } | { parts: null; reason: string };

/** The folders and the name of an artifact below the target; null for a name that is refused. */
export function safeParts(path: string): string[] | null {
  const parts = path.split('/');
  const harmless =
    badArtifactName(path) === null &&
    parts.every(
      (part) =>
        Buffer.byteLength(part) <= LONGEST_NAME_BYTES &&
        !part.includes('\\') &&
        !(process.platform === 'win32' && /[:<>"|?*]|[. ]$/.test(part)),
    );
  return harmless ? parts : null;
}

/** For each path of a build's artifacts, in their order: its parts, or why it is refused. */
export function planSaving(paths: readonly string[]): Planned[] {
  const folded = paths.map(foldPath);
  const repositories = repositoryFolders(folded);
  const taken = new Set<string>();
  return paths.map((path, at) => {
    const fold = folded[at] ?? '';
    const parts = safeParts(path);
    let reason: string | null = null;
    if (path.split('/').some(isMetadataName)) reason = 'it belongs to version control';
    else if (!parts) reason = 'its name could lead out of the folder';
    else if (taken.has(fold)) reason = 'another artifact has the same name in another case';
    else if (fold.split('/').at(-1) === 'head' && repositories.has(parentOf(fold))) {
      reason = MAKES_REPOSITORY;
    }
    taken.add(fold);
    return reason === null && parts ? { parts, reason: null } : { parts: null, reason: reason ?? '' };
  });
}

/**
 * Folders that git would treat as a repository without a `.git`, with a configuration that names commands: those with
 * `HEAD` and either `objects` and `refs` or `commondir`.
 */
function repositoryFolders(folded: readonly string[]): Set<string> {
  const entries = new Map<string, Set<string>>();
  for (const path of folded) {
    for (let at = path; at !== ''; at = parentOf(at)) {
      const parent = parentOf(at);
      const names = entries.get(parent) ?? new Set();
      entries.set(parent, names);
      const name = at.slice(at.lastIndexOf('/') + 1);
      if (names.has(name)) break;
      names.add(name);
    }
  }
  return new Set([...entries].filter(([, names]) => isRepository(names)).map(([folder]) => folder));
}

/** @param names what lies in the folder, folded */
function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')));
}

/** Returns whether git would treat one of the folders of a bundle as a repository. */
export function holdsRepository(paths: readonly string[]): boolean {
  return repositoryFolders(paths.map(foldPath)).size > 0;
}

/**
 * Why an artifact must not be saved because of git repositories below the target: it lies in one, or would complete one
 * together with files of an earlier build. Null otherwise.
 *
 * @param exists whether there is anything at a path below the target, as the file system compares names
 */
export function repositoryRefusal(
  parts: readonly string[],
  exists: (path: readonly string[]) => boolean,
): string | null {
  for (const [depth, part] of parts.entries()) {
    const folder = parts.slice(0, depth);
    const there = new Set(REPOSITORY_NAMES.filter((name) => exists([...folder, nameInGit(name)])));
    if (isRepository(there)) return 'it is inside a git repository';
    if (isRepository(there.add(foldPath(part)))) return MAKES_REPOSITORY;
  }
  return null;
}

const nameInGit = (folded: string) => (folded === 'head' ? 'HEAD' : folded);

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
