// The account that the host agent runs as.
import { InstallError } from './install-error.js';
import type { RunTool } from './system-tools.js';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const DSCL = '/usr/bin/dscl';
const SYSADMINCTL = '/usr/sbin/sysadminctl';

/** The group `staff` of macOS. */
const STAFF = 20;
/** macOS gives these user ids to role accounts. Apple's own take the first ones. */
const ROLE_IDS = { from: 350, to: 400 };

const NAME = /^[a-z_][a-z0-9_.-]{0,30}$/i;

/** Returns the account, or null when there is none of this name. */
export async function readAccount(run: RunTool, name: string): Promise<Account | null> {
  if (!NAME.test(name)) throw new InstallError(`${JSON.stringify(name)} is not the name of a user`);
  const args = ['.', '-read', `/Users/${name}`, 'UniqueID', 'PrimaryGroupID', 'NFSHomeDirectory'];
  const { code, stdout, stderr } = await run(DSCL, args);
  // eDSRecordNotFound
  if (code === 56 || stderr.includes('-14136')) return null;
  const value = (key: string) => new RegExp(`^${key}:\\s+(\\S.*)$`, 'm').exec(stdout)?.[1]?.trim();
  const [uid, gid, home] = [Number(value('UniqueID')), Number(value('PrimaryGroupID')), value('NFSHomeDirectory')];
  if (code !== 0 || !Number.isInteger(uid) || !Number.isInteger(gid) || home === undefined) {
    throw new InstallError(`cannot read the user ${name}: ${stderr.trim() || stdout.trim()}`);
  }
  return { name, uid, gid, home };
}

/**
 * Creates a role account: hidden, without a password and without a shell, so nobody can log in as it.
 *
 * @param name begins with an underscore, as macOS requires
 */
export async function createRoleAccount(run: RunTool, name: string, home: string): Promise<Account> {
  const uid = await freeId(run);
  const args = ['-addUser', name, '-fullName', 'Cidermill host agent', '-UID', String(uid), '-GID', String(STAFF)];
  const { stdout, stderr } = await run(SYSADMINCTL, [
    ...args,
    '-home',
    home,
    '-shell',
    '/usr/bin/false',
    '-roleAccount',
  ]);
  // sysadminctl exits with 0 even when it has failed.
  const made = await readAccount(run, name);
  if (made !== null) return made;
  throw new InstallError(
    `macOS did not create the user ${name}: ${(stderr + stdout).trim()}. Allow the program that runs this command (Terminal, or ` +
      'sshd-keygen-wrapper) to administer this computer in System Settings, Privacy & Security; or create a user and name it ' +
      'with --user',
  );
}

async function freeId(run: RunTool): Promise<number> {
  const { code, stdout, stderr } = await run(DSCL, ['.', '-list', '/Users', 'UniqueID']);
  if (code !== 0) throw new InstallError(`cannot list the users of this machine: ${stderr.trim()}`);
  const taken = new Set(stdout.split('\n').map((line) => Number(/\s(-?\d+)$/.exec(line)?.[1])));
  for (let id = ROLE_IDS.from; id <= ROLE_IDS.to; id++) if (!taken.has(id)) return id;
  throw new InstallError(`no user id between ${ROLE_IDS.from} and ${ROLE_IDS.to} is free; name a user with --user`);
}

/** Returns the name of the user who is logged in at the screen, or null. */
export async function userAtScreen(run: RunTool): Promise<string | null> {
  const { code, stdout } = await run('/usr/bin/stat', ['-f', '%Su', '/dev/console']);
  const name = stdout.trim();
  // The login window belongs to root.
  return code !== 0 || name === '' || name === 'root' || name === '_mbsetupuser' ? null : name;
}

/** Returns the name of the user with this id, or null. */
export async function userName(run: RunTool, uid: number): Promise<string | null> {
  const { stdout } = await run(DSCL, ['.', '-list', '/Users', 'UniqueID']);
  const line = stdout.split('\n').find((one) => Number(/\s(-?\d+)$/.exec(one)?.[1]) === uid);
  return line === undefined ? null : (line.split(/\s/)[0] ?? null);
}
