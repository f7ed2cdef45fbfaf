import { lstatSync } from 'node:fs';
import type { Account } from './account.js';

type Ids = Pick<Account, 'uid' | 'gid'>;

/** A group that owns nothing. */
const NO_GROUP = 65_534;

/**
 * Runs `work` with the permissions of the account, so that links in its folders lead nowhere that it could not go itself.
 * Only root can become somebody else; any other user runs it as it is.
 *
 * @param work synchronous: other code must not run meanwhile
 */
export function asUser<T>(account: Ids, work: () => T): T {
  const back = becomeUser(account);
  try {
    return work();
  } finally {
    back();
  }
}

/** As `asUser`, for a process that does nothing else meanwhile. */
export async function asUserAlone<T>(account: Ids, work: () => Promise<T>): Promise<T> {
  const back = becomeUser(account);
  try {
    return await work();
  } finally {
    back();
  }
}

/**
 * As `asUser`, as the owner of a folder, who may have put links into it. A folder that is missing is nobody's: then
 * nothing changes.
 */
export function asOwner<T>(folder: string, work: () => T): T {
  const owner = ownerOf(folder);
  return owner === null ? work() : asUser(owner, work);
}

/** Returns the owner of a path; null if there is nothing. Links are not followed. */
export function ownerOf(path: string): Ids | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // On macOS folders inherit the group of the one above, which may be root's.
  return found ? { uid: found.uid, gid: found.gid === 0 ? NO_GROUP : found.gid } : null;
}

/**
 * Gives up root for good, for a command that only reads what the owner of a folder has written. Does nothing unless this
 * process is root and the owner is not.
 */
export function becomeOwner(folder: string): void {
  const owner = ownerOf(folder);
  const { geteuid, setgroups, setgid, setuid } = process;
  if (!geteuid || !setgroups || !setgid || !setuid || geteuid() !== 0) return;
  if (owner === null || owner.uid === 0) return;
  setgroups([owner.gid]);
  setgid(owner.gid);
  setuid(owner.uid);
}

function becomeUser({ uid, gid }: Ids): () => void {
  const { geteuid, seteuid, getegid, setegid, getgroups, setgroups } = process;
  if (!geteuid || !seteuid || !getegid || !setegid || !getgroups || !setgroups) return () => {};
  // An account that is still to be created has a negative id.
  if (geteuid() !== 0 || uid <= 0) return () => {};
  const before = { gid: getegid(), groups: getgroups() };
  setgroups([gid]);
  setegid(gid);
  seteuid(uid);
  return () => {
    seteuid(0);
    setegid(before.gid);
    setgroups(before.groups);
  };
}
