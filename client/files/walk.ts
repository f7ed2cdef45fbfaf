// Lists a folder's files by its ignore files alone, for folders without git.
//
// As in git, the innermost ignore file that matches decides: with `bar` in /.gitignore and `!bar` in /a/.gitignore, a/bar/x is
// included. The package `ignore` looks for ignored parents within one file and leaves it out.
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { globalExcludes, readOptional } from './global-excludes.js';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.js';

/** Rules and the folder they are written for, relative to the repository's top, without a trailing slash. */
interface Level {
  base: string;
  rules: IgnoreRules;
}

export interface WalkOptions {
  env: NodeJS.ProcessEnv;
  /** Lists ignored files too (to find those that `.cidermillignore` includes again). */
  everything?: boolean;
  /** Called for a file or folder that is left out because its name is not UTF-8. */
  onUndecodable?(path: string): void;
}

/**
 * Paths of the files and symbolic links below `dir` that no ignore file leaves out, relative to it.
 *
 * Equals `git ls-files -o --exclude-standard` where nothing is tracked, except that the files of nested
 * repositories are listed by their own rules instead of the repository's name.
 */
export function walkFiles(dir: string, options: WalkOptions): string[] {
  const ignoreCase = process.platform === 'darwin' || process.platform === 'win32';
  const parse = (text: string) => parseIgnoreRules(text, { ignoreCase });
  const global = globalExcludes(options.env);
  const everywhere = (base: string) => withRules([], base, global);
  const top = repositoryTop(dir) ?? dir;
  const found: string[] = [];

  const withRules = (levels: Level[], base: string, text: string | null): Level[] => {
    const rules = text === null || options.everything ? null : parse(text);
    return rules === null || rules.empty ? levels : [...levels, { base, rules }];
  };
  const outermost = (repository: string, base: string) =>
    withRules(everywhere(base), base, readOptional(join(repository, '.git', 'info', 'exclude')));
  const isIgnored = (path: string, isDirectory: boolean, levels: Level[]) => {
    for (let depth = levels.length - 1; depth >= 0; depth--) {
      const { base, rules } = levels[depth]!;
      const verdict = rules.judge(base === '' ? path : path.slice(base.length + 1), isDirectory);
      if (verdict) return verdict === 'ignored';
    }
    return false;
  };
  const visit = (folder: string, path: string, inherited: Level[]) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = new Set(entries.map((entry) => entry.name));
    let levels = names.has('.git') && folder !== dir ? outermost(folder, path) : inherited;
    if (names.has('.gitignore') && lstatSync(join(folder, '.gitignore')).isFile()) {
      levels = withRules(levels, path, readOptional(join(folder, '.gitignore')));
    }
    const above = path === '' ? '' : `${path}/`;
    for (const entry of entries) {
      const { name } = entry;
      if (name.length === 4 && name.toLowerCase() === '.git') continue;
      const below = above + name;
      // Read as text, such a name leads nowhere.
      if (name.includes('\ufffd') && !isThere(join(folder, name))) {
        options.onUndecodable?.(below);
        continue;
      }
      const isDirectory = entry.isDirectory();
      if (levels.length > 0 && isIgnored(below, isDirectory, levels)) continue;
      if (isDirectory) visit(`${folder}/${name}`, below, levels);
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(below);
    }
  };

  const prefix = relative(top, dir).split('\\').join('/');
  let levels = outermost(top, '');
  for (const above of foldersAbove(prefix)) {
    levels = withRules(levels, above, readOptional(join(top, above, '.gitignore')));
  }
  visit(dir, prefix, levels);
  return prefix === '' ? found : found.map((path) => path.slice(prefix.length + 1));
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The nearest folder at or above `dir` that holds a `.git`; null without one. */
export function repositoryTop(dir: string): string | null {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** `a/b/c` gives the top (`''`), `a` and `a/b`; the top itself has none above. */
function foldersAbove(prefix: string): string[] {
  if (prefix === '') return [];
  const parts = prefix.split('/');
  return parts.map((_, depth) => parts.slice(0, depth).join('/'));
}
