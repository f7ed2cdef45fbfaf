// Where the package of the host agent lies on a machine.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { unless } from '../../shared/errno.js';

/** Name of the launchd job, and of its property list. */
export const JOB_LABEL = 'cidermill.host-agent';

/** A program with its versions. */
export interface ProgramPaths {
  /** Folder of the versions and of the link to the current one. */
  readonly root: string;
  /** Folder with one folder per version. */
  readonly versions: string;
  /** Link to the folder of the current version. */
  readonly current: string;
}

/** The program here is root's: nobody else can change it, so root may run it. */
export interface InstallPaths extends ProgramPaths {
  /** Everything lies below this folder; empty on a real installation. */
  readonly prefix: string;
  /** The copy of the program that belongs to the agent's account, which replaces it in upgrades. Root never runs it. */
  readonly agent: ProgramPaths;
  /** The command `cidermill`, a link into the current version. */
  readonly command: string;
  /** The agent's data folder. */
  readonly data: string;
  /** Property list of the job of the system domain. */
  readonly daemonPlist: string;
  /** Property list of the job in the session of the user with this home folder. */
  agentPlist(home: string): string;
}

/**
 * Returns the paths of an installation.
 *
 * @param prefix folder below which everything lies, for tests and images of disks
 * @example installPaths().current // '/usr/local/cidermill/current'
 */
export function installPaths(prefix = ''): InstallPaths {
  const root = `${prefix}/usr/local/cidermill`;
  return {
    prefix,
    ...programIn(root),
    agent: programIn(`${root}/agent`),
    command: `${prefix}/usr/local/bin/cidermill`,
    data: `${prefix}/usr/local/var/cidermill`,
    daemonPlist: `${prefix}/Library/LaunchDaemons/${JOB_LABEL}.plist`,
    agentPlist: (home) => `${prefix}${home}/Library/LaunchAgents/${JOB_LABEL}.plist`,
  };
}

const programIn = (root: string): ProgramPaths => ({
  root,
  versions: join(root, 'versions'),
  current: join(root, 'current'),
});

/** Folder of one version: `…/versions/1.2.0`. */
export const versionFolder = (paths: ProgramPaths, version: string): string => join(paths.versions, version);

/** A version, and the installation that it belongs to. Its program is root's, or the copy of the agent's account. */
export interface InstalledVersion extends InstallPaths {
  readonly version: string;
}

const INSTALLED = /^(.*)\/usr\/local\/cidermill(\/agent)?\/versions\/([^/]+)\/lib\/cidermill\.mjs$/;

/**
 * Returns the paths of the installation that this program runs from, and its version; null when it does not run from
 * an installed package.
 *
 * @param program the file of the running program
 */
export function installedHere(program = process.argv[1]): InstalledVersion | null {
  if (program === undefined) return null;
  // A folder that was removed while the program was running is still the one that it runs from.
  const file = unless(['ENOENT', 'ENOTDIR'], () => realpathSync(program)) ?? program;
  const [, prefix, copy, version] = INSTALLED.exec(file) ?? [];
  if (prefix === undefined || version === undefined) return null;
  const paths = installPaths(prefix);
  return { ...paths, ...(copy === undefined ? {} : paths.agent), version };
}
