// Paths in a log as the owner of the build knows them: relative to the work folder, which lay somewhere on a host.
import { posix } from 'node:path';

// macOS keeps /var and /tmp below /private, and tools print either name.
const PRIVATE = '/private';
/** Code that the build fetched or the machine brought, not its own. */
const FOREIGN =
  /(?:^|\/)(?:DerivedData|SourcePackages|Pods|Carthage|node_modules|\.build\/(?:checkouts|repositories)|Xcode[^/]{0,40}\.app|CommandLineTools)\//;

/** Says whether an error at this place may well be caused by one in the build's own code. */
export const isForeign = (file: string): boolean => FOREIGN.test(file);

/**
 * Path below the work folder, or null when the file lies elsewhere or nobody can say where.
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

/** What tools put before the path of a line that they pass on, as `ios> App/Cart.swift`. */
const BEFORE_PATH = /^[^/]{1,80}[>|│»] +/;
const EMBEDDED = /[\s>|│»()[\]{}'"=](?=\/)/;

/** The path alone, where other text stands before it. */
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

/** What a host keeps beside the home folder of a Mac's builds: one work folder for each source. */
const BESIDE_HOME = /^(.+)\/work\/[^/]+$/;

/**
 * The text with the work folder taken out of every path in it, and the home folder beside it written as `~`.
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

/** The longer names first, so that no name is taken for a part of another. */
function namesOf(work: string | null): string[] {
  const folder = work?.replace(/\/+$/, '') ?? '';
  if (!folder.startsWith('/')) return [];
  const short = folder.startsWith(`${PRIVATE}/`) ? folder.slice(PRIVATE.length) : folder;
  return [`${PRIVATE}${short}`, short];
}
