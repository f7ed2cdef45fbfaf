// Finds the launchd job of this machine, whichever session it was installed for.
import { lstatSync } from 'node:fs';
import { systemClock } from '../../shared/clock.js';
import { type Account, readAccount, userName } from '../installation/account.js';
import { InstallError } from '../installation/install-error.js';
import { type JobPlace, jobPlaces, readPlist } from '../installation/job-steps.js';
import { openLaunchd } from '../installation/launchd.js';
import { type InstallPaths, installedHere, installPaths } from '../installation/paths.js';
import { type InstallDeps, NO_LAUNCHD } from './install/plan.js';

export interface InstalledJob {
  readonly paths: InstallPaths;
  readonly account: Account;
  readonly place: JobPlace;
}

/** Returns null when no job is installed. */
export async function findJob(
  deps: Pick<InstallDeps, 'tools' | 'script'>,
  given: { readonly prefix?: string; readonly data?: string },
): Promise<InstalledJob | null> {
  const { tools } = deps;
  const paths = installPaths(given.prefix ?? installedHere(deps.script)?.prefix ?? '');
  const account = await owner(deps, given.data ?? paths.data);
  const places = jobPlaces(paths, account, (domain) =>
    tools === null ? null : openLaunchd({ run: tools, domain, clock: systemClock }),
  );
  const place = [places.daemon, places.login].find((one) => readPlist(one) !== null);
  return place === undefined ? null : { paths, account, place };
}

/** Owner of the data folder; without one, the user of this process. */
async function owner({ tools }: Pick<InstallDeps, 'tools'>, data: string): Promise<Account> {
  const uid = lstatSync(data, { throwIfNoEntry: false })?.uid ?? process.getuid?.() ?? 0;
  const name = tools === null ? null : await userName(tools, uid);
  const account = tools === null || name === null ? null : await readAccount(tools, name);
  return account ?? { name: String(uid), uid, gid: process.getgid?.() ?? 0, home: process.env.HOME ?? '/' };
}

/** @throws InstallError when no job is installed, or this machine has no launchd */
export async function requireJob(
  deps: Pick<InstallDeps, 'tools' | 'script'>,
  given: { readonly prefix?: string; readonly data?: string },
): Promise<InstalledJob & { readonly launchd: NonNullable<JobPlace['launchd']> }> {
  if (deps.tools === null) throw new InstallError(NO_LAUNCHD);
  const found = await findJob(deps, given);
  if (found?.place.launchd) return { ...found, launchd: found.place.launchd };
  throw new InstallError(
    'the agent is not installed on this machine; run: sudo cidermill host-agent install --url URL',
  );
}
