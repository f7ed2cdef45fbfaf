// The ssh commands of this host for guests. ssh reads no configuration files; all options are here.
import { join } from 'node:path';
import type { LocalCommand } from './transport.js';

/** The keys and known_hosts of one Mac, in its private folder. */
export interface SshIdentity {
  /** User in the guest. */
  readonly user: string;
  /** Folder of `key` and `known_hosts`. */
  readonly folder: string;
}

export interface SshTimes {
  /** Seconds until a connection attempt is given up. */
  readonly connectS: number;
  /** A guest that is silent for three times this many seconds is unreachable. */
  readonly aliveS: number;
}

export const sshFiles = (folder: string) => ({
  key: join(folder, 'key'),
  publicKey: join(folder, 'key.pub'),
  /** The host key that the guest got from this host. */
  knownHosts: join(folder, 'known_hosts'),
  /** The host key that the image had, during setup only. */
  firstKnownHosts: join(folder, 'first_known_hosts'),
  askpass: join(folder, 'askpass'),
});

/** In known_hosts, so that a guest keeps its entry when its address changes. */
export const HOST_ALIAS = 'guest';

const SSH = '/usr/bin/ssh';
/** A dead connection is noticed after this many unanswered messages. */
const ALIVE_MESSAGES = 3;

/**
 * Returns the arguments as one command for the guest's login shell, which receives exactly these bytes. Valid for sh,
 * bash, zsh and fish; csh and tcsh do not take line feeds.
 *
 * @example remoteCommand(['echo', "it's"]) // exec 'echo' 'it'\''s'
 */
export function remoteCommand(argv: readonly string[]): string {
  if (argv.some((argument) => argument.includes('\0'))) {
    throw new RangeError('an argument contains a NUL character');
  }
  return `exec ${argv.map(quote).join(' ')}`;
}

// In fish a backslash is special inside quotes too, so quotes and backslashes are placed outside.
const quote = (text: string) =>
  text === '' ? "''" : text.replace(/[^'\\]+|['\\]/g, (part) => (/['\\]/.test(part) ? `\\${part}` : `'${part}'`));

const shared = (times: SshTimes): Record<string, string> => ({
  ConnectTimeout: String(times.connectS),
  ServerAliveInterval: String(times.aliveS),
  ServerAliveCountMax: String(ALIVE_MESSAGES),
  // Connections are not shared: a broken one would end all of them.
  ControlMaster: 'no',
  ControlPath: 'none',
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ClearAllForwardings: 'yes',
  GlobalKnownHostsFile: '/dev/null',
  HostKeyAlias: HOST_ALIAS,
  CheckHostIP: 'no',
  UpdateHostKeys: 'no',
  IdentitiesOnly: 'yes',
  IdentityAgent: 'none',
  // The connection never leaves this host. This key exchange takes two thirds of the time of the default.
  KexAlgorithms: '^curve25519-sha256',
  // A lower level does not log why a connection has ended.
  LogLevel: 'INFO',
});

/** Returns the command that logs in with the Mac's key, to the guest whose host key is known. */
export function keyLogin(
  { user, folder }: SshIdentity,
  address: string,
  times: SshTimes,
  argv: readonly string[],
): LocalCommand {
  const files = sshFiles(folder);
  const options = {
    ...shared(times),
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: quotedPath(files.knownHosts),
    HostKeyAlgorithms: 'ssh-ed25519',
    PreferredAuthentications: 'publickey',
    IdentityFile: quotedPath(files.key),
  };
  return command(options, user, address, argv, {});
}

/**
 * Returns the command that logs in with a password, to a guest whose host key is not known yet: the first one that it
 * shows is written to `firstKnownHosts`. The password is in the environment of ssh, for the program `askpass`.
 */
export function passwordLogin(
  { user, folder }: SshIdentity,
  password: string,
  address: string,
  times: SshTimes,
  argv: readonly string[],
): LocalCommand {
  const files = sshFiles(folder);
  const options = {
    ...shared(times),
    BatchMode: 'no',
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: quotedPath(files.firstKnownHosts),
    PubkeyAuthentication: 'no',
    PreferredAuthentications: 'password,keyboard-interactive',
    NumberOfPasswordPrompts: '1',
  };
  return command(options, user, address, argv, {
    SSH_ASKPASS: files.askpass,
    SSH_ASKPASS_REQUIRE: 'force',
    CIDERMILL_GUEST_PASSWORD: password,
  });
}

/** Returns the command that only asks the guest which methods of authentication it offers. */
export function methodsQuery(identity: SshIdentity, address: string, times: SshTimes): LocalCommand {
  const options = {
    ...shared(times),
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: quotedPath(sshFiles(identity.folder).knownHosts),
    HostKeyAlgorithms: 'ssh-ed25519',
    PreferredAuthentications: 'none',
    PubkeyAuthentication: 'no',
  };
  return command(options, identity.user, address, ['true'], {});
}

function command(
  options: Record<string, string>,
  user: string,
  address: string,
  argv: readonly string[],
  env: Record<string, string>,
): LocalCommand {
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return {
    file: SSH,
    args: ['-F', '/dev/null', '-T', ...given, '-l', user, '--', address, remoteCommand(argv)],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', ...env },
  };
}

// ssh splits the value at spaces and replaces %-sequences.
const quotedPath = (path: string) => `"${path.replaceAll('%', '%%').replace(/["\\]/g, '\\$&')}"`;
