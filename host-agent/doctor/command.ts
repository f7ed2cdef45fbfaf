// `cidermill host-agent doctor`: what this machine lacks, and with --try whether Macs can be created and used.

import { existsSync, mkdtempSync, statSync, utimesSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { DEFAULT_DRIVER, driverNames, isVirtual } from '../../shared/drivers.js';
import { unless } from '../../shared/errno.js';
import { createLog } from '../../shared/log.js';
import { nearestName } from '../../shared/nearest-name.js';
import { packageVersion } from '../../shared/package-version.js';
import { ForeignFolderError } from '../../shared/private-folder.js';
import { type AgentConfig, agentConfig } from '../daemon/agent-config.js';
import {
  ConfigError,
  configPath,
  networkOf,
  openConfiguredNetwork,
  parseConfig,
  readConfig,
} from '../daemon/config.js';
import { readCredential } from '../daemon/credential.js';
import { driverOf } from '../daemon/driver-spec.js';
import { openDriver } from '../driver/open.js';
import { vmToolOf } from '../driver/vm-tools.js';
import type { Account } from '../installation/account.js';
import { asUser } from '../installation/as-user.js';
import { AGENT_PATH } from '../installation/job.js';
import { hasLaunchd } from '../installation/system-tools.js';
import { removeTree } from '../system/remove-tree.js';
import { agentAccount, doctorOfAgent, type RunAsAgent } from './as-agent.js';
import type { CheckedHost } from './check.js';
import { openCheckedHost } from './checked-host.js';
import { checks } from './checks/table.js';
import { fixFindings } from './fix.js';
import {
  type DoctorReport,
  type Finding,
  findingLine,
  reportOf,
  skippedLine,
  stepLine,
  summaryLine,
} from './report.js';
import { runChecks } from './run-checks.js';
import { runTrial, type TrialMac, type TrialStep } from './trial.js';

interface DoctorFlags {
  data: string;
  driver?: AgentConfig['driver'];
  image?: string;
  check?: string[];
  fix?: true;
  try?: true;
  json?: true;
}

/** Prefix of a trial's virtual machines, which no agent uses. */
const TRIAL_PREFIX = 'cidermill-try-';

/**
 * @param onExitCode called with 0 if no check failed, else with 1
 * @param runAsAgent runs a command as the agent's user, if this process is root
 */
export function doctorCommand(dataOption: Option, onExitCode: (code: number) => void, runAsAgent: RunAsAgent): Command {
  return new Command('doctor')
    .exitOverride()
    .description('check this machine; with --try, also create a Mac, build in it, reset and remove it')
    .addOption(dataOption)
    .addOption(new Option('--driver <name>', 'instead of the one in agent.json').choices(driverNames))
    .option('--check <name>', 'run only this check (repeatable)', (name, before: string[] = []) => [
      ...before,
      checkNamed(name),
    ])
    .option('--fix', 'change settings of macOS that checks complain about, where that is safe')
    .option('--image <ref>', 'image for --try, if the driver uses images')
    .option('--try', 'create a Mac of its own and test it; an agent can run at the same time')
    .option('--json', 'print the report as JSON')
    .action(async (flags: DoctorFlags) => {
      const print = flags.json ? () => {} : (text: string) => void process.stdout.write(text);
      const account = await agentAccount(flags.data);
      const report = account ? await diagnoseAs(account, flags, print, runAsAgent) : await diagnose(flags, print);
      if (report.fixes?.some(({ done }) => done)) tellAgent(flags.data);
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : summaryLine(report));
      onExitCode(report.ok ? 0 : 1);
    });
}

/** Touches the agent's configuration: a running agent reads it again, makes its checks and sends what it finds. */
function tellAgent(data: string): void {
  const now = new Date(systemClock.now());
  const owner = statSync(data, { throwIfNoEntry: false });
  // With no more permissions than the owner has: the folder may hold links.
  if (owner) asUser(owner, () => unless(['ENOENT'], () => utimesSync(configPath(data), now, now)));
}

/** @throws InvalidArgumentError for an unknown check */
function checkNamed(name: string): string {
  const names = checks.map(({ check }) => check);
  if (names.includes(name)) return name;
  const nearest = nearestName(name, names);
  throw new InvalidArgumentError(nearest === null ? `There are: ${names.join(', ')}.` : `Did you mean ${nearest}?`);
}

/**
 * Adds the folders in which the agent finds programs: a login by ssh has a shorter PATH, and tart would seem to be
 * missing.
 */
function searchAsTheAgent(): void {
  const own = (process.env.PATH ?? '').split(delimiter);
  const others = hasLaunchd() ? AGENT_PATH.split(delimiter).filter((folder) => !own.includes(folder)) : [];
  process.env.PATH = [...own, ...others].join(delimiter);
}

/** @throws ForeignFolderError when the data folder is another user's: most of what is checked belongs to that user */
function requireOwnFolder(data: string): void {
  const uid = process.getuid?.();
  const owner = statSync(data, { throwIfNoEntry: false })?.uid;
  if (uid === undefined || uid === 0 || owner === undefined || owner === uid) return;
  throw new ForeignFolderError(
    `the data folder ${data} belongs to the user ${owner}; run the doctor as that user: sudo -u '#${owner}' cidermill host-agent doctor`,
  );
}

async function diagnose(flags: DoctorFlags, print: (text: string) => void): Promise<DoctorReport> {
  requireOwnFolder(flags.data);
  searchAsTheAgent();
  const config = configOf(flags);
  if (flags.try && isVirtual(config.driver) && flags.image === undefined) {
    throw new ConfigError(`--try with the driver ${config.driver} needs --image`);
  }
  print(`cidermill ${packageVersion()}, driver ${config.driver}\n`);
  const chosen = checks.filter(({ check }) => flags.check?.includes(check) ?? true);
  const open = hostOf(flags, config);
  const seen = await runChecks(open(), chosen);
  printFindings(seen, flags, print);
  const fixed = flags.fix ? await fixFindings({ findings: seen, checks: chosen, open, print }) : null;
  const findings = fixed?.findings ?? seen;
  const trial = flags.try && findings.every(({ ok }) => ok) ? await attempt(flags, config, print) : null;
  return reportOf(packageVersion(), config.driver, findings, trial, fixed?.fixes);
}

function printFindings(findings: readonly Finding[], { check }: DoctorFlags, print: (text: string) => void): void {
  for (const finding of findings) {
    if (check || finding.status !== 'not_applicable') print(findingLine(finding));
  }
  if (!check) print(skippedLine(findings));
}

/** The same for root, which has the checks made by the agent's user. */
async function diagnoseAs(
  account: Account,
  flags: DoctorFlags,
  print: (text: string) => void,
  runAsAgent: RunAsAgent,
): Promise<DoctorReport> {
  const agent = doctorOfAgent(account, resolve(flags.data), runAsAgent);
  const { version, driver, findings, trial } = await agent.diagnose([
    ...(flags.driver === undefined ? [] : ['--driver', flags.driver]),
    ...(flags.check ?? []).flatMap((name) => ['--check', name]),
    ...(flags.image === undefined ? [] : ['--image', flags.image]),
    ...(flags.try ? ['--try'] : []),
  ]);
  print(`cidermill ${version}, driver ${driver}, as ${account.name}\n`);
  printFindings(findings, flags, print);
  for (const step of trial ?? []) print(stepLine(step));
  if (!flags.fix) return reportOf(version, driver, findings, trial);
  const fixed = await agent.fix(findings, { checks, open: rootsHost(flags, driver), print });
  return reportOf(version, driver, fixed.findings, trial, fixed.fixes);
}

/** Returns agent.json with the flags; a machine that is not enrolled may have none. */
function configOf({ data, driver }: DoctorFlags): AgentConfig {
  const chosen = driver === undefined ? {} : { driver };
  if (existsSync(configPath(data))) return readConfig(configPath(data), chosen);
  return parseConfig({ control_plane: 'http://127.0.0.1', ...chosen });
}

/**
 * The host as root sees it, which reads nothing in the agent's folder: neither its configuration, which names programs and
 * files, nor its credential.
 */
function rootsHost({ data }: DoctorFlags, kind: string): () => CheckedHost {
  const config = parseConfig({
    control_plane: 'http://127.0.0.1',
    driver: agentConfig.shape.driver.safeParse(kind).data ?? DEFAULT_DRIVER,
  });
  return hostOf({ data }, config, false);
}

/** Returns a function that opens the host for one round of checks. */
function hostOf(
  { data }: DoctorFlags,
  config: AgentConfig,
  enrolled = readCredential(data) !== null,
): () => CheckedHost {
  // A machine that is not enrolled has no data folder yet.
  const { spec, password } = driverOf(config, existsSync(data) ? resolve(data) : tmpdir());
  const driver = openDriver(spec, { password, log: createLog('doctor', 'silent') });
  const network = openConfiguredNetwork(networkOf(config, process.env));
  return () => openCheckedHost({ config, dataDir: resolve(data), enrolled, driver, network, isDaemon: false });
}

async function attempt(
  { data, image }: DoctorFlags,
  config: AgentConfig,
  print: (text: string) => void,
): Promise<TrialStep[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-try-'));
  const log = createLog('doctor', 'silent');
  const own = { name_prefix: TRIAL_PREFIX, warm_spares: 0 };
  const { spec, password } = driverOf({ ...config, ...settingsOfTrial(config, data, own) }, dataDir);
  const driver = openDriver(spec, { password, log });
  const mac: TrialMac = { image: image ?? null };
  try {
    return await runTrial({
      driver,
      dataDir,
      mac,
      clock: systemClock,
      log,
      report: (step) => print(stepLine(step)),
      progress: showProgress(),
    });
  } finally {
    await removeTree(dataDir);
  }
}

/** Updates one progress line on a terminal; prints nothing elsewhere. */
function showProgress(): (text: string) => void {
  if (!process.stderr.isTTY) return () => {};
  return (text) => void process.stderr.write(`\r      ${text}\x1b[K\r`);
}

/** Settings of the configured tool with which a trial has virtual machines of its own, from the images of this host. */
function settingsOfTrial(
  { driver, ...config }: AgentConfig,
  data: string,
  own: { readonly name_prefix: string; readonly warm_spares: number },
): Partial<AgentConfig> {
  if (!isVirtual(driver)) return {};
  const { sharesHome, defaultHome } = vmToolOf(driver);
  const { home } = config[driver];
  const images = home ?? (sharesHome ? null : defaultHome({ userHome: homedir(), dataDir: resolve(data) }));
  return { [driver]: { ...config[driver], ...own, home: images } };
}
