// `cidermill host-agent uninstall`: removes job and program; the data folder only if asked.

import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { cleanText } from '../../shared/clean-text.js';
import { isVirtual } from '../../shared/drivers.js';
import { readJson } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import { agentConfig } from '../daemon/agent-config.js';
import { readAgentState } from '../daemon/agent-state.js';
import { configPath } from '../daemon/config.js';
import { readCredential } from '../daemon/credential.js';
import { isOwnName } from '../driver/vm/vm-names.js';
import { vmToolOf } from '../driver/vm-tools.js';
import { asOwner, asUser } from '../installation/as-user.js';
import { InstallError } from '../installation/install-error.js';
import { readPlist, removeJob } from '../installation/job-steps.js';
import { commandTarget, readLink } from '../installation/links.js';
import { installedHere, installPaths } from '../installation/paths.js';
import { removeOwned } from '../installation/root-only.js';
import { type Found, leftOut, ok, runSteps, type Step, stepLine } from '../installation/steps.js';
import { EXIT } from './exit-codes.js';
import { type InstallDeps, thisMachine } from './install/machine.js';
import { findJob, type InstalledJob } from './installed-job.js';

export interface UninstallFlags {
  data?: string;
  prefix?: string;
  deleteData?: true;
  force?: true;
  dryRun?: true;
  json?: true;
}

export function uninstallCommand(onExitCode: (code: number) => void): Command {
  return new Command('uninstall')
    .exitOverride()
    .description('stop the agent and remove it from this machine; the data folder stays')
    .option('--data <dir>', 'data folder; default: /usr/local/var/cidermill')
    .option('--delete-data', 'delete the data folder too, with the Macs of the local driver and the credential')
    .option('--force', 'uninstall even while builds run, which are lost')
    .option('--prefix <dir>', 'remove an installation below this folder')
    .option('--dry-run', 'print the steps without running them')
    .option('--json', 'print the result as JSON')
    .action(async (flags: UninstallFlags) => onExitCode(await uninstall(flags, thisMachine())));
}

export async function uninstall(flags: UninstallFlags, deps: InstallDeps): Promise<number> {
  const prefix = flags.prefix === undefined ? (installedHere(deps.script)?.prefix ?? '') : resolve(flags.prefix);
  const tools = prefix === '' || deps.standIns ? deps.tools : null;
  const paths = installPaths(prefix === '/' ? '' : prefix);
  const given = { prefix: paths.prefix, ...(flags.data === undefined ? {} : { data: resolve(flags.data) }) };
  const job = await findJob({ tools, script: deps.script }, given);
  const data = given.data ?? job?.data ?? paths.data;
  if (!flags.dryRun && tools !== null && process.geteuid?.() !== 0) {
    throw new InstallError('run this with sudo (--dry-run needs no sudo)');
  }
  refuseRunningBuilds(data, flags);
  const say = flags.json ? () => {} : deps.print;
  const left = leftBehind(data, job, flags);
  const { reports, error } = await runSteps(
    [
      jobStep(job),
      removalStep('command', () => (readLink(paths.command) === commandTarget(paths) ? paths.command : null)),
      removalStep('program', () => (lstatSync(paths.root, { throwIfNoEntry: false }) ? paths.root : null)),
      dataStep(data, job, flags),
    ],
    { dryRun: flags.dryRun ?? false, report: (report) => say(stepLine(report)) },
  );
  const done = error === null;
  if (flags.json) deps.print(`${JSON.stringify({ ok: done, steps: reports, left }, null, 2)}\n`);
  else if (done) for (const line of left) say(`${line}\n`);
  return done ? 0 : EXIT.config;
}

/** Their processes go on without the agent, but their results would be lost. */
function refuseRunningBuilds(data: string, { force, dryRun }: UninstallFlags): void {
  if (force || dryRun) return;
  const builds = readable(data, () => readAgentState(data))?.builds ?? 0;
  if (builds === 0) return;
  throw new InstallError(
    `builds that run on this host: ${builds}. On the service, run: cidermill admin host drain HOST --wait; then uninstall. Or add ` +
      '--force, which loses them',
  );
}

/** What the owner of the folder can read there; undefined for a link that leads elsewhere. */
const readable = <T>(data: string, read: () => T): T | undefined =>
  asOwner(data, () => unless(['EACCES', 'ELOOP', 'EISDIR'], read));

function jobStep(job: InstalledJob | null): Step {
  return {
    name: 'job',
    async look(): Promise<Found> {
      if (job === null || readPlist(job.place) === null) return ok('not installed');
      const { place } = job;
      const where = place.launchd === null ? '' : `stop the agent (${place.launchd.domain}) and `;
      return { state: 'needed', text: `${where}delete ${place.plist}`, apply: () => removeJob(place) };
    },
  };
}

function removalStep(name: string, find: () => string | null): Step {
  return {
    name,
    async look(): Promise<Found> {
      const path = find();
      if (path === null) return ok('not there');
      // Parts of the program belong to the agent's account.
      return { state: 'needed', text: `delete ${path}`, apply: () => removeOwned(path) };
    },
  };
}

function dataStep(data: string, job: InstalledJob | null, { deleteData }: UninstallFlags): Step {
  return {
    name: 'data',
    async look(): Promise<Found> {
      const found = lstatSync(data, { throwIfNoEntry: false });
      if (!found) return ok('not there');
      if (!deleteData) return leftOut(`${data} stays, with the credential of this host; --delete-data deletes it`);
      if (!found.isDirectory()) throw new InstallError(`${data} is not a folder; delete it yourself`);
      if (job?.place.launchd && found.uid === 0) {
        throw new InstallError(`${data} belongs to root, and no agent's data does; delete it yourself`);
      }
      return {
        state: 'needed',
        text: `delete ${data}`,
        // As its owner: builds may have put links into it while it is being deleted.
        apply: () => removeOwned(data),
      };
    },
  };
}

/** Returns what this command does not remove, and how to remove it. */
function leftBehind(data: string, job: InstalledJob | null, { deleteData }: UninstallFlags): string[] {
  if (!lstatSync(data, { throwIfNoEntry: false })) return [];
  const credential = readable(data, () => readCredential(data)) ?? null;
  const account = job?.account.name;
  return [
    ...(credential === null
      ? []
      : [`The service still knows this host; there: cidermill admin host remove ${cleanText(credential.name, 200)}`]),
    ...virtualMachines(data, job, deleteData ?? false),
    ...(account?.startsWith('_')
      ? [`The account ${account} stays; delete it with: sudo sysadminctl -deleteUser ${account}`]
      : []),
  ];
}

/** Virtual machines with the agent's names, in a folder of their own tool. */
function virtualMachines(data: string, job: InstalledJob | null, deleteData: boolean): string[] {
  const config = agentConfig.safeParse(readable(data, () => readJson(configPath(data)))).data;
  if (config === undefined || !isVirtual(config.driver)) return [];
  const { defaultHome, deleteCommand } = vmToolOf(config.driver);
  const { home, name_prefix } = config[config.driver];
  const folder = join(home ?? defaultHome({ userHome: job?.account.home ?? '', dataDir: data }), 'vms');
  if (deleteData && folder.startsWith(`${data}/`)) return [];
  const names = unless(['ENOENT', 'ENOTDIR', 'EACCES'], () =>
    job === null ? asOwner(data, () => readdirSync(folder)) : asUser(job.account, () => readdirSync(folder)),
  );
  const own = (names ?? []).flatMap((name) => (isOwnName(name_prefix, name) ? [cleanText(name, 200)] : [])).sort();
  if (own.length === 0) return [];
  const command = deleteCommand(folder);
  return [`Virtual machines of the agent stay: ${own.join(', ')}; delete each with: ${command} NAME`];
}
