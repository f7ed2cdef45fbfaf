// `cidermill host-agent install`: makes this machine a host that runs under launchd.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { errnoOf } from '../../../shared/errno.js';
import { agentConfig } from '../../daemon/agent-config.js';
import { makeFolder } from '../../installation/folders.js';
import { InstallError } from '../../installation/install-error.js';
import { jobPlist } from '../../installation/job.js';
import { runSteps, stepLine } from '../../installation/steps.js';
import { takeLock } from '../../system/lock.js';
import { EXIT } from '../exit-codes.js';
import { type InstallDeps, thisMachine } from './machine.js';
import { type InstallFlags, planInstall, sessionReason } from './plan.js';
import { installSteps } from './steps.js';

export function installCommand(onExitCode: (code: number) => void): Command {
  return new Command('install')
    .exitOverride()
    .description('install the agent under launchd: account, folders, enrollment, job; a second run continues')
    .option('--url <url>', 'root address of the service')
    .option(
      '--token-file <file>',
      'file with the enrollment token; default: standard input, which is read only if it is needed',
    )
    .option('--approve', 'enroll with a code that an operator approves, instead of a token')
    .option('--name <name>', 'name of this host, if the token has none')
    .addOption(
      new Option('--driver <name>', 'what a Mac is; default: local').choices(
        agentConfig.shape.driver.def.innerType.options,
      ),
    )
    .addOption(
      new Option('--session <session>', 'default: daemon for local, login for virtual machines').choices([
        'daemon',
        'login',
      ]),
    )
    .option(
      '--user <name>',
      'user of the agent; default: _cidermill, or with --session login the user who is logged in',
    )
    .option('--data <dir>', 'data folder; default: /usr/local/var/cidermill')
    .option('--allow-unisolated', 'allow builds without isolation between tenants (local driver)')
    .option('--self-upgrade', 'let the agent replace its program; default for virtual machines')
    .option('--no-self-upgrade', 'only root can replace the program; default for local')
    .option('--ca-file <file>', 'PEM file of additional certificate authorities to trust')
    .option('--https-proxy <url>', 'proxy for https URLs')
    .option('--bypass-proxy <hosts>', 'hosts to reach without the proxy')
    .option('--enroll-again', 'enroll a machine that is enrolled already: with another service, or after its removal')
    .option('--prefix <dir>', 'install below this folder, without changes to users and launchd')
    .option('--print', 'only print the property list')
    .option('--dry-run', 'print the steps without running them')
    .option('--json', 'print the result as JSON')
    .action(async (flags: InstallFlags, command: Command) => {
      // Commander gives `--no-self-upgrade` the default true.
      const source = command.getOptionValueSource('selfUpgrade');
      const { selfUpgrade, caFile, ...rest } = flags;
      onExitCode(
        await install(
          {
            ...rest,
            ...(source === 'cli' && selfUpgrade !== undefined ? { selfUpgrade } : {}),
            ...(caFile === undefined ? {} : { caFile: resolve(caFile) }),
          },
          thisMachine(),
        ),
      );
    });
}

/** @returns the exit code: 0, or 75 when everything is installed but the agent is not connected yet */
export async function install(flags: InstallFlags, deps: InstallDeps): Promise<number> {
  const plan = await planInstall(flags, deps);
  const { paths, tools, session, program, account, data } = plan;
  if (flags.print) {
    deps.print(jobPlist({ session, program, user: account.name, home: account.home, data }));
    return 0;
  }
  if (!flags.dryRun && tools !== null && process.geteuid?.() !== 0) {
    throw new InstallError(
      'run this with sudo: it creates folders in /usr/local and a job of launchd (--dry-run needs no sudo)',
    );
  }
  const say = flags.json ? () => {} : deps.print;
  say(`Installing the host agent ${sessionReason(plan)}.\n`);
  if (!flags.dryRun) makeFolder(paths.root);
  const lock = flags.dryRun ? null : takeLock(paths.root, 'installation');
  try {
    const options = {
      dryRun: flags.dryRun ?? false,
      report: (report: Parameters<typeof stepLine>[0]) => say(stepLine(report)),
    };
    const { reports, error } = await runSteps(installSteps(plan, deps), options);
    const code = exitCode(error);
    const { name: user } = account;
    if (flags.json) deps.print(`${JSON.stringify({ ok: code === 0, session, user, data, steps: reports }, null, 2)}\n`);
    else say(summary(code, flags));
    return code;
  } finally {
    lock?.release();
  }
}

function exitCode(error: unknown): number {
  if (error === null) return 0;
  if (error instanceof InstallError) return error.exitCode;
  // A full disk, permissions.
  return errnoOf(error) === undefined ? EXIT.software : EXIT.cannotWrite;
}

function summary(code: number, { dryRun }: InstallFlags): string {
  if (dryRun) return 'Nothing was changed (--dry-run).\n';
  if (code !== 0) return 'Not finished. Fix the problem, then run the command again: it continues from here.\n';
  return 'Installed. See: cidermill host-agent status, and logs\n';
}
