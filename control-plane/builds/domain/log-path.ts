// Makes paths in a log relative to the build's work folder.
import { posix } from 'node:path';

// macOS keeps /var and /tmp below /private, and tools print either name.
const PRIVATE = '/private';
/** Dependencies and system code, as opposed to the build's own. */
const FOREIGN =
  /(?:^|\/)(?:DerivedData|SourcePackages|Pods|Carthage|node_modules|\.build\/(?:checkouts|repositories)|Xcode[^/]{0,40}\.app|CommandLineTools)\//;

/** Returns whether an error at this path may be caused by the build's own code. */
export const isForeign = (file: string): boolean => FOREIGN.test(file);

/**
 * Returns the path below the work folder, or null if the file is elsewhere or its place is unknown.
 *
 * @param work absolute path of the work folder as the build's processes saw it
 * @example pathInWork('/Users/ci/work/./App/Cart.swift', '/Users/ci/work') // 'App/Cart.swift'
 */
export function pathInWork(file: string, work: string | null): string | null {
  if (file.startsWith('<') || file.startsWith('@')) return null;
  const path = posix.normalize(withoutPrefix(file, work));
  const inside = path.startsWith('/') ? below(path, work) : path;
  if (inside === null || inside === '' || inside === '.' || inside === '..') return null;
  return inside.startsWith('../') || inside.startsWith('/') ? null : inside;
}

/** Prefixes that tools put before a path on lines they relay, as in `ios> App/Cart.swift`. */
const BEFORE_PATH = /^[^/]{1,80}[>|│»] +/;
const EMBEDDED = /[\s>|│»()[\]{}'"=](?=\/)/;

/** Returns the path without other text before it. */
function withoutPrefix(file: string, work: string | null): string {
  if (file.startsWith('/')) return file;
  const bare = file.replace(BEFORE_PATH, '');
  for (const name of namesOf(work)) {
    const at = bare.indexOf(`${name}/`);
    if (at >= 0) return bare.slice(at);
  }
  const at = bare.search(EMBEDDED);
  return at < 0 ? bare : bare.slice(at + 1);
}

/** Work folders are siblings of the home folder of a Mac's builds, one per source. */
const BESIDE_HOME = /^(.+)\/work\/[^/]+$/;

/**
 * Returns the text with the work folder removed from all paths and the home folder replaced by `~`.
 *
 * @example withoutWork('no /m/1/home/Library/x', '/m/1/work/3f2a') // 'no ~/Library/x'
 */
export function withoutWork(text: string, work: string | null): string {
  let clean = text;
  for (const name of namesOf(work)) {
    clean = clean.replaceAll(`${name}/`, '').replaceAll(name, '.');
    const mac = BESIDE_HOME.exec(name)?.[1];
    if (mac !== undefined) clean = clean.replaceAll(`${mac}/home/`, '~/');
  }
  return clean;
}

function below(path: string, work: string | null): string | null {
  const name = namesOf(work).find((folder) => path.startsWith(`${folder}/`));
  return name === undefined ? null : path.slice(name.length + 1);
}

/** Longer names first, so that none is matched as a part of another. */
function namesOf(work: string | null): string[] {
  const folder = work?.replace(/\/+$/, '') ?? '';
  if (!folder.startsWith('/')) return [];
  const short = folder.startsWith(`${PRIVATE}/`) ? folder.slice(PRIVATE.length) : folder;
  return [`${PRIVATE}${short}`, short];
}
