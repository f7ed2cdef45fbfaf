// Where a git repository comes from, as its remote says.
import { askGit } from '../files/git.js';
import { repositoryTop } from '../files/walk.js';

export interface GitSource {
  /** Host and path of the remote, without credentials, scheme, default port and `.git`. */
  remote: string[];
  /** The folder's path in the repository; empty at its top. */
  path: string[];
}

/** Ports that an address may name or leave out. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'ssh:': '22',
  'git+ssh:': '22',
  'ssh+git:': '22',
  'git:': '9418',
};

/**
 * Returns where the repository that holds a folder comes from: its remote `origin`, else the first one by name. Null without
 * a repository, git, or a remote on a server: the path of a local one means something else on every machine.
 */
export async function gitSource(dir: string, env: NodeJS.ProcessEnv): Promise<GitSource | null> {
  // Asking git takes two processes.
  if (repositoryTop(dir) === null) return null;
  const [remotes, prefix] = await Promise.all([
    askGit(dir, env, ['config', '--local', '--includes', '--null', '--get-regexp', '^remote\\..+\\.url$']),
    askGit(dir, env, ['rev-parse', '--show-prefix']),
  ]);
  if (remotes === null || prefix === null) return null;
  const urls = remotes
    .split('\0')
    .map((entry) => /^remote\.(?<name>.+)\.url\n(?<url>.+)$/s.exec(entry)?.groups)
    .filter((entry) => entry !== undefined)
    .sort((one, other) => rank(one.name) - rank(other.name) || compare(one.name, other.name));
  const remote = remoteParts(urls[0]?.url ?? '');
  return remote && { remote, path: prefix.replace(/\n$/, '').split('/').filter(Boolean) };
}

const rank = (name = '') => (name === 'origin' ? 0 : 1);
const compare = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);

/**
 * Splits the address of a remote; null when it names no server.
 *
 * @example remoteParts('https://user:token@GitHub.com/acme/ios.git') // ['github.com', 'acme', 'ios']
 * @example remoteParts('git@github.com:acme/ios') // ['github.com', 'acme', 'ios']
 */
export function remoteParts(url: string): string[] | null {
  const { host, path } = addressOf(url) ?? { host: '', path: '' };
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean);
  return host === '' || parts.length === 0 ? null : [host.toLowerCase(), ...parts];
}

function addressOf(url: string): { host: string; path: string } | null {
  if (url.includes('://')) {
    if (!URL.canParse(url)) return null;
    const { protocol, hostname, port, pathname } = new URL(url);
    const named = port === '' || port === DEFAULT_PORTS[protocol] ? '' : `:${port}`;
    return protocol === 'file:' || hostname === '' ? null : { host: hostname + named, path: pathname };
  }
  // [user@]host:path, as ssh's copy takes it. `helper::address` is none, nor is what has an @ behind the colon: a password.
  const short = /^(?:[^/:]*@)?([^/:@]+|\[[^\]/]+\]):([^:@]+)$/.exec(url);
  return short && { host: short[1] ?? '', path: short[2] ?? '' };
}
