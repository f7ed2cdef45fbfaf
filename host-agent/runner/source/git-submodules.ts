// Submodules on the repository's own server are checked out like the repository, with the same token. Others stay
// empty, with a warning on the build: the account's token and the host's network are not meant for them.
import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import { type GitContext, git, runGit } from '../../caches/git-process.js';
import type { GitRemote } from '../../caches/git-remote.js';
import type { GitPlace } from './git-checkout.js';

const SCP_FORM = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)\/?(.+)$/;

export interface Submodule {
  name: string;
  /** Relative to the repository's files. */
  path: string;
  url: string;
  commit: string;
}

export interface Submodules {
  /** Submodules to check out. */
  inside: Submodule[];
  /** Submodules on another server, with another transport than https, or (null) without a URL. */
  elsewhere: { path: string; url: string | null }[];
}

/** Lists the submodules of a checked out commit. */
export async function listSubmodules(
  context: GitContext,
  mirror: string,
  commit: string,
  index: string,
  remote: GitRemote,
): Promise<Submodules> {
  const options = { cwd: mirror, env: { GIT_DIR: mirror, GIT_INDEX_FILE: index } };
  const found: Submodules = { inside: [], elsewhere: [] };
  const listed = await runGit(context, ['config', '--blob', `${commit}:.gitmodules`, '-z', '--list'], options);
  // .gitmodules is missing or invalid: no submodule has a URL.
  if (listed.code !== 0) return found;
  const modules = parseModules(listed.stdout.toString('utf8'));
  const commits = parseLinks((await git(context, ['ls-files', '-s', '-z'], options)).toString('utf8'));
  const named = new Set([...modules.values()].map(({ path, url }) => (url === undefined ? undefined : path)));
  for (const path of commits.keys()) if (!named.has(path)) found.elsewhere.push({ path, url: null });
  for (const [name, module] of modules) {
    const { path, url } = module;
    const linked = path === undefined ? undefined : commits.get(path);
    if (path === undefined || url === undefined || linked === undefined || module.update === 'none') continue;
    const resolved = resolveUrl(url, remote);
    if (resolved === null) found.elsewhere.push({ path, url });
    else found.inside.push({ name, path, url: resolved, commit: linked });
  }
  return found;
}

/** Returns the folders of a submodule's files and state. */
export function submodulePlace(place: GitPlace, path: string): GitPlace {
  const key = createHash('sha256').update(path).digest('hex').slice(0, 40);
  return { workDir: join(place.workDir, path), stateDir: join(place.stateDir, 'submodules', key) };
}

interface Module {
  path?: string;
  url?: string;
  update?: string;
}

/**
 * Parses `submodule.<name>.<key>\n<value>\0…`. The first value of a key counts; values with control characters are
 * ignored.
 */
function parseModules(text: string): Map<string, Module> {
  const modules = new Map<string, Module>();
  for (const entry of text.split('\0')) {
    const [, name, key, value] = /^submodule\.([^\0-\x1f]*)\.(path|url|update)\n([^\0-\x1f]*)$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) continue;
    const module = modules.get(name) ?? {};
    modules.set(name, module);
    if (key === 'path') module.path ??= value;
    else if (key === 'url') module.url ??= value;
    else module.update ??= value;
  }
  return modules;
}

/** Parses `<mode> <id> <stage>\t<path>\0…` into the commits of submodules, by path. */
function parseLinks(text: string): Map<string, string> {
  const commits = new Map<string, string>();
  for (const entry of text.split('\0')) {
    const [, id, path] = /^160000 ([0-9a-f]{40}) 0\t([^\0]*)$/.exec(entry) ?? [];
    if (id !== undefined && path !== undefined) commits.set(path, id);
  }
  return commits;
}

/**
 * Returns the URL on the repository's own server, or null. ssh URLs of that server become https: the host has no ssh
 * key, and the token is for https.
 */
function resolveUrl(url: string, remote: GitRemote): string | null {
  const { origin } = remote;
  if (/^\.\.?\//.test(url)) {
    const path = posix.normalize(`${remote.url.slice(origin.length).replace(/\/+$/, '')}/${url}`);
    return path.startsWith('/') ? `${origin}${path.replace(/\/+$/, '')}` : null;
  }
  if (url.startsWith(`${origin}/`)) return url;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  const scp = SCP_FORM.exec(url);
  if (scp) return scp[1] === host && host !== '' ? `${origin}/${scp[2]}` : null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || host === '' || parsed.hostname !== host) return null;
  const otherForm = /^(?:ssh|git|git\+ssh):$/.test(parsed.protocol) || (parsed.protocol === 'http:' && !parsed.port);
  return otherForm ? `${origin}${parsed.pathname}` : null;
}
