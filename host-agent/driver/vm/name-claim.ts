// One agent per name prefix and folder of the tool: an agent deletes what it does not know under its own names, and must never
// take another agent's virtual machines for leftovers. The claim is a link beside them to the data folder of their agent.
import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { VmDriverName } from '../../../shared/drivers.js';
import { isErrno, unless } from '../../../shared/errno.js';
import type { VmDriverSpec } from '../driver.js';
import { vmToolOf } from '../vm-tools.js';
import type { VmSettings } from './settings.js';

const CLAIMS = '.cidermill-names';

/**
 * Claims the names of this agent's virtual machines until its data folder is removed. Returns why the claim is refused;
 * null: the names are this agent's.
 *
 * @param markOf the file that shows that a data folder is an agent's
 */
export function claimNames(
  { kind, home, data_dir, name_prefix }: VmDriverSpec,
  markOf: (dataDir: string) => string,
): string | null {
  const claims = claimsIn(kind, home);
  if (claims === null) return null;
  const claim = path.join(claims, name_prefix);
  const me = realpathSync(data_dir);
  const ownerOf = (link: string) => unless(['ENOENT', 'ENOTDIR'], () => readlinkSync(link)) ?? null;
  if (ownerOf(claim) === me) return null;
  mkdirSync(claims, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(claims)) {
    const owner = ownerOf(path.join(claims, name));
    if (owner !== null && !mayExist(markOf(owner))) rmSync(path.join(claims, name), { force: true });
  }
  // Of several agents that do this at the same time one succeeds.
  unless(['EEXIST'], () => symlinkSync(me, claim));
  const owner = ownerOf(claim);
  if (owner === me) return null;
  return (
    `the virtual machines ${name_prefix}… of this host belong to the agent with the data folder ${owner}: give this agent ` +
    `another ${kind}.name_prefix, or delete that folder if its agent is gone for good`
  );
}

/** Returns the prefixes of other agents that share the tool's folder. */
export function otherPrefixes(
  kind: VmDriverName,
  { home, name_prefix }: Pick<VmSettings, 'home' | 'name_prefix'>,
): string[] {
  const claims = claimsIn(kind, home);
  if (claims === null) return [];
  const names = unless(['ENOENT', 'ENOTDIR'], () => readdirSync(claims)) ?? [];
  return names.filter((name) => name !== name_prefix);
}

/** Returns the folder of the claims; null: the tool's folder is this agent's alone. */
function claimsIn(kind: VmDriverName, home: string | null): string | null {
  const { sharesHome, defaultHome } = vmToolOf(kind);
  if (home === null && !sharesHome) return null;
  return path.join(home ?? defaultHome({ userHome: homedir(), dataDir: '' }), CLAIMS);
}

/** Returns whether there is such a file; true also when this user is not permitted to look. */
function mayExist(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !isErrno(error, 'ENOENT', 'ENOTDIR');
  }
}
