// The copy of the program that belongs to the agent's account. The account replaces it in upgrades, so root never runs it, and
// writes into it only with the account's permissions. See docs/adr/0044-sessions-of-the-agent.md.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../shared/durable-file.js';
import type { Account } from './account.js';
import { asUser } from './as-user.js';
import { makeFolderOf } from './folders.js';
import { type InstallPaths, type ProgramPaths, versionFolder } from './paths.js';
import { removeOwned } from './root-only.js';
import { type Found, leftOut, ok, type Step } from './steps.js';
import { endTrial, readTrial } from './trial.js';
import { currentVersion, makeCurrent, moveIn, UNFINISHED } from './versions.js';

type Owner = Pick<Account, 'uid' | 'gid'>;

/**
 * Must come before `programStep`: a version that is root's current one already has been handed over before, and what the
 * agent has upgraded itself to since then stays.
 *
 * @param owner the account that may replace the program; null: nobody but root may
 * @param onVersion called with the version that the agent will run
 */
export function agentProgramStep(
  paths: InstallPaths,
  version: string | null,
  owner: () => Owner | null,
  onVersion: (version: string) => void,
): Step {
  const { agent } = paths;
  return {
    name: "agent's program",
    async look(): Promise<Found> {
      const account = owner();
      const present = lstatSync(agent.root, { throwIfNoEntry: false });
      if (account === null) {
        if (!present) return ok('only root can replace the program');
        const text = `delete ${agent.root}: only root can replace the program`;
        return { state: 'needed', text, apply: () => removeOwned(agent.root) };
      }
      if (version === null) return leftOut('not installed from a package');
      const isOwn = present?.isDirectory() && present.uid === account.uid;
      const current = isOwn ? asUser(account, () => usableVersion(agent)) : null;
      if (current !== null && current !== version && currentVersion(paths) === version) {
        onVersion(current);
        return ok(`version ${current}, which the agent has upgraded itself to`);
      }
      const isSame = () => isSameTree(versionFolder(paths, version), versionFolder(agent, version));
      if (current === version && asUser(account, isSame)) return ok(`version ${version} in ${agent.root}`);
      return {
        state: 'needed',
        text: `copy version ${version} to ${agent.root}, for the agent's account`,
        async apply() {
          if (present && !isOwn) await removeOwned(agent.root);
          if (!isOwn) makeFolderOf(agent.root, account, 0o755);
          asUser(account, () => {
            copyVersion(paths, agent, version);
            // A version that somebody installs replaces a trial of another one.
            if (readTrial(agent) !== null) endTrial(agent);
            makeCurrent(agent, version);
          });
        },
      };
    },
  };
}

/** Returns the current version if it looks like one that can be started. */
function usableVersion(agent: ProgramPaths): string | null {
  const current = currentVersion(agent);
  if (current === null || !/^\d[0-9A-Za-z.-]{0,63}$/.test(current)) return null;
  const program = join(versionFolder(agent, current), 'bin/cidermill');
  return lstatSync(program, { throwIfNoEntry: false })?.isFile() ? current : null;
}

/** Copies a version, durably. To be called with the permissions of the account that owns `to`. */
export function copyVersion(from: ProgramPaths, to: ProgramPaths, version: string): void {
  mkdirSync(to.versions, { recursive: true });
  chmodSync(to.versions, 0o755);
  const fresh = join(to.versions, `${UNFINISHED}${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  copyTree(versionFolder(from, version), fresh);
  moveIn(to, fresh, version);
}

function copyTree(from: string, to: string): void {
  const found = lstatSync(from);
  if (found.isDirectory()) {
    mkdirSync(to);
    for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name));
    chmodSync(to, 0o755);
    syncFolder(to);
    return;
  }
  copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(to, (found.mode & 0o111) === 0 ? 0o644 : 0o755);
  const fd = openSync(to, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function isSameTree(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (!a || !b) return false;
  if (a.isDirectory() && b.isDirectory()) {
    const names = readdirSync(one).sort();
    if (names.join('/') !== readdirSync(other).sort().join('/')) return false;
    return names.every((name) => isSameTree(join(one, name), join(other, name)));
  }
  if (!a.isFile() || !b.isFile() || a.size !== b.size || (a.mode & 0o111) !== (b.mode & 0o111)) return false;
  const [first, second] = [one, other].map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'));
  return first === second;
}
