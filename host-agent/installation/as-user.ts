import type { Account } from './account.js';

type Ids = Pick<Account, 'uid' | 'gid'>;

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

function becomeUser({ uid, gid }: Ids): () => void {
  const { geteuid, seteuid, getegid, setegid, getgroups, setgroups } = process;
  if (!geteuid || !seteuid || !getegid || !setegid || !getgroups || !setgroups) return () => {};
  if (geteuid() !== 0 || uid === 0) return () => {};
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
