// Lists the names in a folder, from git or by walking it,
// and applies `.cidermillignore`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GitFailed, gitFiles } from './git-files.js';
import { readOptional } from './global-excludes.js';
import { judgeWithParents, parseIgnoreRules } from './ignore-rules.js';
import { repositoryTop, walkFiles } from './walk.js';

export interface Listing {
  /** Relative to the folder; some name folders (nested repositories), possibly with a trailing slash. */
  names: string[];
  /** Warnings about files that cannot be sent. */
  warnings: string[];
}

export interface FolderListing extends Listing {
  /** Whether a name found later (in a nested repository) is selected. */
  keep(name: string): boolean;
}

/** Rules of the service's own ignore file, which stands at the top of the folder that is sent. */
export const OWN_IGNORE_FILE = '.cidermillignore';

/**
 * Files below `dir` that belong to it: what `git ls-files -co --exclude-standard` says, or a walk by the
 * same ignore files where there is no git. `.cidermillignore` then leaves out more (tracked files too), or
 * takes ignored files back in with `!`.
 */
export async function listFolder(dir: string, env: NodeJS.ProcessEnv): Promise<FolderListing> {
  const standard = listStandard(dir, env);
  const own = parseIgnoreRules(readOptional(join(dir, OWN_IGNORE_FILE)) ?? '');
  const keep = own.empty
    ? (name: string) => !isReserved(name)
    : (name: string) => !isReserved(name) && judgeWithParents(own, withoutSlash(name)) !== 'ignored';
  const { names, warnings } = await standard;
  const kept = names.filter(keep);
  if (!own.includes) return { names: kept, warnings, keep };
  const known = new Set(kept);
  for (const name of await listEverything(dir, env)) {
    if (known.has(name) || isReserved(name)) continue;
    if (judgeWithParents(own, withoutSlash(name)) === 'included') kept.push(name);
  }
  return { names: kept, warnings, keep };
}

/** The files of a folder by git's rules alone. */
export async function listStandard(dir: string, env: NodeJS.ProcessEnv): Promise<Listing> {
  if (repositoryTop(dir) !== null) {
    try {
      const { names, undecodable } = await gitFiles(dir, env);
      return { names, warnings: undecodable.map(notUtf8) };
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      const { names, warnings } = walked(dir, env);
      const failed = error.absent ? [] : [`git could not list the files (${error.message})`];
      return { names, warnings: [...failed, ...warnings] };
    }
  }
  return walked(dir, env);
}

/** The files of a folder by its ignore files alone, with a warning for each that has no usable name. */
export function walked(dir: string, env: NodeJS.ProcessEnv): Listing {
  const warnings: string[] = [];
  const names = walkFiles(dir, { env, onUndecodable: (path) => warnings.push(notUtf8(path)) });
  return { names, warnings };
}

const notUtf8 = (name: string) => `${name} is skipped: its name is not UTF-8`;

async function listEverything(dir: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (!existsSync(join(dir, '.git'))) return walkFiles(dir, { env, everything: true });
  try {
    return (await gitFiles(dir, env, true)).names;
  } catch (error) {
    if (error instanceof GitFailed) return walkFiles(dir, { env, everything: true });
    throw error;
  }
}

const withoutSlash = (name: string) => (name.endsWith('/') ? name.slice(0, -1) : name);

/** A service that was started in this folder keeps its keys and data there; they are never uploaded. */
const isReserved = (name: string) => name === '.cidermill' || name.startsWith('.cidermill/');
