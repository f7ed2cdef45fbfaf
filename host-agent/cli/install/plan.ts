// Decides what `host-agent install` is to install: session, user, folders, program.

import { existsSync, lstatSync, realpathSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { DEFAULT_DRIVER, isVirtual } from '../../../shared/drivers.js';
import { readJson } from '../../../shared/durable-file.js';
import { unless } from '../../../shared/errno.js';
import { packageVersion } from '../../../shared/package-version.js';
import { type AgentConfig, agentConfig } from '../../daemon/agent-config.js';
import { configPath } from '../../daemon/config.js';
import { type Account, readAccount, userAtScreen, userName } from '../../installation/account.js';
import { asOwner } from '../../installation/as-user.js';
import { InstallError } from '../../installation/install-error.js';
import type { Session } from '../../installation/job.js';
import { type InstallPaths, installedHere, installPaths } from '../../installation/paths.js';
import { openToOthers } from '../../installation/root-only.js';
import type { RunTool } from '../../installation/system-tools.js';
import type { HostFlags } from '../enroll.js';
import { findJob, NO_LAUNCHD } from '../installed-job.js';
import type { InstallDeps } from './machine.js';

export interface InstallFlags extends HostFlags {
  url?: string;
  data?: string;
  session?: Session;
  user?: string;
  prefix?: string;
  enrollAgain?: true;
  allowUnisolated?: true;
  selfUpgrade?: boolean;
  dryRun?: true;
  print?: true;
}

export interface InstallPlan {
  readonly flags: InstallFlags;
  readonly paths: InstallPaths;
  /** The installed version that this program runs from; null: not from a package. */
  readonly version: string | null;
  readonly program: readonly string[];
  readonly driver: AgentConfig['driver'];
  readonly session: Session;
  /** Null: users, launchd and everything else outside the prefix are left alone. */
  readonly tools: RunTool | null;
  readonly data: string;
  /** The account; one that does not exist yet has the id -1. */
  readonly account: Account;
  /** The agent may replace its program: it runs a copy that belongs to its account. */
  readonly selfUpgrade: boolean;
}

/** The role account that is created if no user is named. */
const ROLE_ACCOUNT = '_cidermill';
export const NOT_CREATED = -1;

/** @throws InstallError when this machine cannot be installed so; nothing has been changed then */
export async function planInstall(
  flags: InstallFlags,
  deps: Pick<InstallDeps, 'tools' | 'standIns' | 'script'>,
): Promise<InstallPlan> {
  const here = installedHere(deps.script);
  const prefix = flags.prefix === undefined ? (here?.prefix ?? '') : realFolder(flags.prefix);
  if (here !== null && here.prefix !== prefix) {
    throw new InstallError(`this program is installed below ${here.prefix || '/'}, not below ${prefix || '/'}`);
  }
  const paths = installPaths(prefix);
  const tools = prefix === '' || deps.standIns ? deps.tools : null;
  if (here !== null && tools !== null) requireRootsProgram(deps.script, flags.url);
  if (prefix === '' && tools === null && !flags.print) throw new InstallError(NO_LAUNCHD);
  const job = await findJob({ tools, script: deps.script }, { prefix });
  const data = resolve(flags.data ?? job?.data ?? paths.data);
  const present = { ...(await presentInstallation(data, tools)), session: job?.place.session ?? null };
  if (flags.url === undefined && !present.configured && !flags.print) throw new InstallError(MISSING_URL);
  const driver = flags.driver ?? present.driver ?? DEFAULT_DRIVER;
  const byDriver = isVirtual(driver) ? 'login' : 'daemon';
  // A second run without options keeps what the first one has chosen.
  const session = flags.session ?? (flags.driver === undefined ? present.session : null) ?? byDriver;
  const unisolated = flags.allowUnisolated || present.unisolated || flags.print;
  if (!isVirtual(driver) && !unisolated) throw new InstallError(UNISOLATED);
  const account = flags.print
    ? printedAccount(flags.user, session, data)
    : tools === null
      ? caller()
      : await chooseAccount(flags.user, session, data, present.owner, tools);
  // A second run without options keeps this too.
  const isSame = job !== null && driver === present.driver;
  const selfUpgrade = flags.selfUpgrade ?? (isSame ? existsSync(paths.agent.root) : isVirtual(driver));
  const started = selfUpgrade ? paths.agent.current : paths.current;
  // A dry run from a package that is not installed says what its installation would do.
  const version = here?.version ?? (flags.dryRun && isPackage(deps.script) ? packageVersion() : null);
  return {
    flags,
    paths,
    version,
    driver,
    session,
    tools,
    data,
    account,
    program: version === null ? [process.execPath, deps.script] : [`${started}/bin/cidermill`],
    selfUpgrade,
  };
}

const isPackage = (script: string) => basename(script) === 'cidermill.mjs';

export const MISSING_URL = 'the address of the service is missing: give --url https://macs.example';

const UNISOLATED =
  'the local driver runs builds as the user of the agent, without isolation between tenants. If all who build here are trusted, ' +
  'add --allow-unisolated; otherwise choose --driver tart or --driver lume';

const { driver, allow_unisolated } = agentConfig.shape;

interface PresentInstallation {
  readonly driver: AgentConfig['driver'] | null;
  readonly unisolated: boolean;
  /** There is a configuration, so this machine is enrolled, or nearly. */
  readonly configured: boolean;
  /** Owner of the data folder. */
  readonly owner: Account | null;
}

/** Returns what an earlier run has chosen. */
async function presentInstallation(data: string, tools: RunTool | null): Promise<PresentInstallation> {
  const uid = lstatSync(data, { throwIfNoEntry: false })?.uid;
  const name = uid === undefined || tools === null ? null : await userName(tools, uid);
  const owner = name === null || tools === null ? null : await readAccount(tools, name);
  // Without root, --dry-run cannot read it.
  const json = asOwner(data, () => unless(['EACCES'], () => readJson(configPath(data))));
  const config = z.object({ driver, allow_unisolated }).safeParse(json).data;
  return {
    driver: config?.driver ?? null,
    unisolated: config?.allow_unisolated ?? false,
    configured: json !== undefined,
    owner,
  };
}

async function chooseAccount(
  user: string | undefined,
  session: Session,
  data: string,
  present: Account | null,
  tools: RunTool,
): Promise<Account> {
  const usual = session === 'daemon' ? ROLE_ACCOUNT : await userAtScreen(tools);
  const name = user ?? (present?.uid === 0 ? null : present?.name) ?? usual;
  if (name === null) {
    throw new InstallError(
      'nobody is logged in at the screen: log in as the user of the agent (and turn on automatic login), or name the ' +
        'user with --user; the agent then starts at the next login',
    );
  }
  const account = await readAccount(tools, name);
  if (account?.uid === 0) {
    throw new InstallError(
      'the agent does not run as root: virtual machines need a user, and so do builds; leave out --user',
    );
  }
  if (account !== null) return account;
  const isRole = name.startsWith('_');
  if (isRole && session === 'daemon') return { name, uid: NOT_CREATED, gid: NOT_CREATED, home: `${data}/home` };
  throw new InstallError(
    `there is no user ${name}. ` +
      (session === 'daemon'
        ? `Only role accounts are created, whose names begin with an underscore: leave out --user for ${ROLE_ACCOUNT}`
        : 'Create it in System Settings, with automatic login'),
  );
}

/** For `--print`, which asks the machine nothing. */
function printedAccount(user: string | undefined, session: Session, data: string): Account {
  const name = user ?? (session === 'daemon' ? ROLE_ACCOUNT : os.userInfo().username);
  const home = name.startsWith('_') ? `${data}/home` : `/Users/${name}`;
  return { name, uid: NOT_CREATED, gid: NOT_CREATED, home };
}

function caller(): Account {
  const { username: name, uid, gid, homedir: home } = os.userInfo();
  return { name, uid, gid, home };
}

/** As an installed program sees its own folder. */
function realFolder(folder: string): string {
  const path = resolve(folder);
  if (path === '/') return '';
  return lstatSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
}

/** The program that root runs now, and whenever somebody runs `sudo cidermill`, must be one that only root can change. */
function requireRootsProgram(script: string, url = 'https://SERVICE'): void {
  const open = openToOthers(dirname(script)) ?? openToOthers(script);
  if (open === null) return;
  throw new InstallError(
    `users other than root can change ${open}, so root must not run the program there. Run the installer of the service, which ` +
      `corrects this: curl -fsSL ${url}/install/host-agent | sudo sh`,
  );
}

/** Why this session, for the person who installs. */
export function sessionReason({ driver, session, account }: InstallPlan): string {
  const virtual = isVirtual(driver);
  if (session === 'daemon') {
    return virtual
      ? `as a daemon (${account.name}): starts without a login, but guests of macOS 15 and newer need an unlocked login keychain, which a daemon does not have; --session login is the safe choice for ${driver}`
      : `as a daemon (${account.name}): starts at boot, nobody has to be logged in`;
  }
  return virtual
    ? `in the session of ${account.name}: guests of macOS 15 and newer need its unlocked login keychain; turn on automatic login`
    : `in the session of ${account.name}: runs only while ${account.name} is logged in at the screen`;
}
