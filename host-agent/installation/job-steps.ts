// Installs, replaces and removes the agent's launchd job.
import { chmodSync, chownSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import { parsePlist } from '../system/plist.js';
import type { Account } from './account.js';
import { asUser } from './as-user.js';
import { makeFolder } from './folders.js';
import type { Session } from './job.js';
import type { Launchd } from './launchd.js';
import { type InstallPaths, JOB_LABEL } from './paths.js';
import { type Found, leftOut, ok, type Step } from './steps.js';

/** One place where the job can be installed. */
export interface JobPlace {
  readonly session: Session;
  readonly plist: string;
  /** Null: launchd is left alone. */
  readonly launchd: Launchd | null;
  /** Owner of the property list. */
  readonly owner: Pick<Account, 'uid' | 'gid'>;
}

/** Returns the places of both sessions; that of the system belongs to root. */
export function jobPlaces(
  paths: InstallPaths,
  account: Pick<Account, 'uid' | 'gid' | 'home'>,
  launchd: (domain: Launchd['domain']) => Launchd | null,
): Readonly<Record<Session, JobPlace>> {
  const system = launchd('system');
  return {
    daemon: {
      session: 'daemon',
      plist: paths.daemonPlist,
      launchd: system,
      owner: system === null ? account : { uid: 0, gid: 0 },
    },
    login: {
      session: 'login',
      plist: paths.agentPlist(account.home),
      launchd: launchd(`gui/${account.uid}`),
      owner: account,
    },
  };
}

/** Removes the job of the other session, which would use the same data folder. */
export function otherSessionStep(other: () => JobPlace): Step {
  return {
    name: 'other session',
    async look(): Promise<Found> {
      const place = other();
      if (readPlist(place) === null) return ok('no job in it');
      return {
        state: 'needed',
        text: `remove the job of the session "${place.session}" (${place.plist})`,
        apply: () => removeJob(place),
      };
    },
  };
}

/** Ends the job, if it is loaded, and deletes its property list. */
export async function removeJob(place: JobPlace): Promise<void> {
  await place.launchd?.unload(labelOf(place));
  asUser(place.owner, () => rmSync(place.plist, { force: true }));
}

/**
 * Writes the property list. A job that was loaded from another one is ended before, so that a run that was interrupted
 * here is continued by the next one: the job is not loaded then.
 */
export function plistStep(place: () => JobPlace, content: () => string): Step {
  return {
    name: 'property list',
    async look(): Promise<Found> {
      const { plist } = place();
      const [present, wanted] = [readPlist(place()), content()];
      if (present === wanted) return ok(plist);
      return {
        state: 'needed',
        text: `${present === null ? 'write' : 'replace'} ${plist}`,
        async apply() {
          const label = labelOf(place());
          if (present !== null) await place().launchd?.unload(label);
          if (label !== JOB_LABEL) await place().launchd?.unload();
          writePlist(place(), wanted);
        },
      };
    },
  };
}

/** @param outdated whether the process that runs was started from an older version or configuration */
export function launchdStep(place: () => JobPlace, outdated: () => boolean): Step {
  return {
    name: 'launchd',
    async look(): Promise<Found> {
      const { launchd, plist } = place();
      if (launchd === null) return leftOut(`the job is not loaded; on a Mac: launchctl bootstrap DOMAIN ${plist}`);
      const job = await launchd.state();
      if (job === null) {
        const text = `load the job into ${launchd.domain}, which starts the agent`;
        return { state: 'needed', text, apply: () => launchd.load(plist) };
      }
      if (!outdated()) return ok(`${launchd.domain}/${JOB_LABEL} is loaded`);
      return { state: 'needed', text: 'restart the agent', apply: () => launchd.restart() };
    },
  };
}

/** With its owner's permissions: a link there must not lead root to another file. */
export const readPlist = ({ plist, owner }: Pick<JobPlace, 'plist' | 'owner'>): string | null =>
  asUser(
    owner,
    () => unless(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EISDIR'], () => readFileSync(plist, 'utf8')) ?? null,
  );

/** Label of the property list that is there: an older one may have had another. */
function labelOf(place: JobPlace): string {
  const label = parsePlist(readPlist(place) ?? '').Label;
  return label !== undefined && /^[A-Za-z0-9._-]{1,100}$/.test(label) ? label : JOB_LABEL;
}

function writePlist({ plist, owner }: JobPlace, content: string): void {
  asUser(owner, () => {
    makeFolder(dirname(plist));
    writeDurably(plist, content, { mode: 0o644 });
    // Whatever the umask: launchd refuses a file that it cannot read.
    chmodSync(plist, 0o644);
    if (process.geteuid?.() === 0) chownSync(plist, owner.uid, owner.gid);
  });
}
