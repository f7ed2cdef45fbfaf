// `cidermill host-agent doctor`: what this machine lacks, and with --try whether Macs can be created and used.
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { packageVersion } from '../../shared/package-version.js';
import {
  type AgentConfig,
  buildLimitsOf,
  ConfigError,
  configPath,
  networkOf,
  openConfiguredNetwork,
  parseConfig,
  readConfig,
} from '../daemon/config.js';
import { readCredential } from '../daemon/credential.js';
import { driverOf } from '../daemon/driver-spec.js';
import { openDriver, openTool } from '../driver/open.js';
import { defaultBuildLimits } from '../limits.js';
import { removeTree } from '../system/remove-tree.js';
import { checkDriver, checkRuntimes, checkService } from './checks.js';
import { type DoctorReport, type Finding, findingLine, reportOf, stepLine } from './report.js';
import { runTrial, type TrialMac, type TrialStep } from './trial.js';

interface DoctorFlags {
  data: string;
  driver?: AgentConfig['driver'];
  image?: string;
  try?: true;
  json?: true;
}

/** Prefix of a trial's virtual machines, which no agent uses. */
const TRIAL_PREFIX = 'cidermill-try-';

/** @param onExitCode called with 0 if no check failed, else with 1 */
export function doctorCommand(dataOption: Option, onExitCode: (code: number) => void): Command {
  return new Command('doctor')
    .exitOverride()
    .description('check this machine; with --try, also create a Mac, build in it, reset and remove it')
    .addOption(dataOption)
    .addOption(
      new Option('--driver <name>', 'instead of the one in agent.json').choices(['local', 'tart', 'lume']),
    )
    .option('--image <ref>', 'image for --try, if the driver uses images')
    .option('--try', 'create a Mac of its own and test it; an agent can run at the same time')
    .option('--json', 'print the report as JSON')
    .action(async (flags: DoctorFlags) => {
      const report = await diagnose(flags, flags.json ? () => {} : (text) => void process.stdout.write(text));
      if (flags.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      else process.stdout.write(`${report.ok ? 'No problems found.' : 'Problems found.'}\n`);
      onExitCode(report.ok ? 0 : 1);
    });
}

async function diagnose(flags: DoctorFlags, print: (text: string) => void): Promise<DoctorReport> {
  const config = configOf(flags);
  if (flags.try && config.driver !== 'local' && flags.image === undefined) {
    throw new ConfigError(`--try with the driver ${config.driver} needs --image`);
  }
  print(`cidermill ${packageVersion()}, driver ${config.driver}\n`);
  const findings = await look(flags, config);
  for (const finding of findings) print(findingLine(finding));
  const trial = flags.try && findings.every(({ ok }) => ok) ? await attempt(flags, config, print) : null;
  return reportOf(packageVersion(), config.driver, findings, trial);
}

/** Returns agent.json with the flags; a machine that is not enrolled may have none. */
function configOf({ data, driver }: DoctorFlags): AgentConfig {
  const chosen = driver === undefined ? {} : { driver };
  if (existsSync(configPath(data))) return readConfig(configPath(data), chosen);
  return parseConfig({ control_plane: 'http://127.0.0.1', ...chosen });
}

async function look({ data }: DoctorFlags, config: AgentConfig): Promise<Finding[]> {
  // A machine that is not enrolled has no data folder yet.
  const { spec, password } = driverOf(config, existsSync(data) ? resolve(data) : tmpdir());
  const driver = openDriver(spec, { password, log: createLog('doctor', 'silent') });
  const reserve = { ...defaultBuildLimits, ...buildLimitsOf(config) }.diskReserveBytes;
  const tool = spec.kind === 'local' ? null : openTool(spec);
  const found = await checkDriver(driver, tool, reserve);
  if (spec.kind !== 'local' && spec.runtimes_dir !== null) found.push(await checkRuntimes(spec.runtimes_dir));
  const credential = readCredential(data);
  if (!credential) return found;
  const network = openConfiguredNetwork(networkOf(config, process.env));
  return [...found, await checkService({ siteUrl: config.control_plane, network, ...credential })];
}

async function attempt(
  { data, image }: DoctorFlags,
  config: AgentConfig,
  print: (text: string) => void,
): Promise<TrialStep[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-try-'));
  const log = createLog('doctor', 'silent');
  const own = { name_prefix: TRIAL_PREFIX, warm_spares: 0 };
  const tart = { ...config.tart, ...own };
  // With the images of this host.
  const lume = { ...config.lume, ...own, home: config.lume.home ?? join(resolve(data), 'lume') };
  const { spec, password } = driverOf({ ...config, tart, lume }, dataDir);
  const driver = openDriver(spec, { password, log });
  const mac: TrialMac = { image: image ?? null };
  try {
    return await runTrial({
      ...{ driver, dataDir, mac, clock: systemClock, log },
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
