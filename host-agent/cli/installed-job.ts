// Finds the launchd job of this machine, whichever session it was installed for.
import { lstatSync } from 'node:fs';
import { systemClock } from '../../shared/clock.js';
import { type Account, readAccount, userAtScreen, userName } from '../installation/account.js';
import { InstallError } from '../installation/install-error.js';
import { type JobPlace, jobPlaces, readPlist } from '../installation/job-steps.js';
import { type Launchd, openLaunchd } from '../installation/launchd.js';
import { type InstallPaths, installedHere, installPaths } from '../installation/paths.js';
import { parsePlist } from '../system/plist.js';
import type { InstallDeps } from './install/machine.js';

export interface InstalledJob {
  readonly paths: InstallPaths;
  readonly account: Account;
  readonly place: JobPlace;
  /** Data folder of the agent. */
  readonly data: string;
}

type Given = { readonly prefix?: string; readonly data?: string };

/** Returns null when no job is installed. */
export async function findJob(
  { tools, script }: Pick<InstallDeps, 'tools' | 'script'>,
  given: Given,
): Promise<InstalledJob | null> {
  const paths = installPaths(given.prefix ?? installedHere(script)?.prefix ?? '');
  const system = { plist: paths.daemonPlist, owner: { uid: 0, gid: 0 } };
  const data = given.data ?? dataOf(system) ?? paths.data;
  const launchd = (domain: Launchd['domain']) =>
    tools === null ? null : openLaunchd({ run: tools, domain, clock: systemClock });
  for await (const account of likelyAccounts(tools, data)) {
    const places = jobPlaces(paths, account, launchd);
    const place = [places.daemon, places.login].find((one) => readPlist(one) !== null);
    if (place) return { paths, account, place, data: given.data ?? trustedData(place, account) ?? data };
  }
  return null;
}

/** Returns the data folder that a property list names. */
function dataOf(place: Pick<JobPlace, 'plist' | 'owner'>): string | null {
  const folder = parsePlist(readPlist(place) ?? '').WorkingDirectory;
  return folder?.startsWith('/') ? folder : null;
}

/**
 * The same, unless the property list is one that the account can write and names a folder that is not its own: root reads
 * and deletes there.
 */
function trustedData(place: JobPlace, account: Account): string | null {
  const folder = dataOf(place);
  if (folder === null || place.owner.uid === 0) return folder;
  return lstatSync(folder, { throwIfNoEntry: false })?.uid === account.uid ? folder : null;
}

/** Whose session the job may be in: the owner of the data folder, the user of this command, and the one at the screen. */
async function* likelyAccounts(tools: InstallDeps['tools'], data: string): AsyncGenerator<Account> {
  const uid = lstatSync(data, { throwIfNoEntry: false })?.uid ?? process.getuid?.() ?? 0;
  const unknown = { name: String(uid), uid, gid: process.getgid?.() ?? 0, home: process.env.HOME ?? '/' };
  if (tools === null) return yield unknown;
  const ownerName = await userName(tools, uid);
  yield (ownerName === null ? null : await readAccount(tools, ownerName)) ?? unknown;
  for (const name of [process.env.SUDO_USER ?? null, await userAtScreen(tools)]) {
    const account = name === null ? null : await readAccount(tools, name);
    if (account !== null) yield account;
  }
}

export const NO_LAUNCHD =
  'this machine has no launchd. On macOS, this command installs the agent as a job of launchd. Elsewhere (local driver only), ' +
  'run `cidermill host-agent enroll`, and `cidermill host-agent run` under the service manager: docs/hosts.md has a unit for systemd';

/** @throws InstallError when no job is installed, or this machine has no launchd */
export async function requireJob(
  deps: Pick<InstallDeps, 'tools' | 'script'>,
  given: Given,
): Promise<InstalledJob & { readonly launchd: NonNullable<JobPlace['launchd']> }> {
  if (deps.tools === null) throw new InstallError(NO_LAUNCHD);
  const found = await findJob(deps, given);
  if (found?.place.launchd) return { ...found, launchd: found.place.launchd };
  throw new InstallError(
    'the agent is not installed on this machine; run: sudo cidermill host-agent install --url URL',
  );
}
