// The agent's command line, `cidermill host-agent …`; each file beside this one has one of its commands.
import { Command } from 'commander';
import { doctorCommand } from '../doctor/command.js';
import { enrollCommand } from './enroll.js';
import { exitCodeOf } from './exit-codes.js';
import { runCommandAs } from './install/child.js';
import { installCommand } from './install/command.js';
import { logsCommand } from './logs.js';
import { dataOption } from './options.js';
import { runCommand } from './run.js';
import { serviceCommands } from './service.js';
import { statusCommand } from './status.js';
import { uninstallCommand } from './uninstall.js';
import { upgradeCommand } from './upgrade.js';
import { verifyCommand } from './verify.js';

/**
 * Runs the agent's command line and returns the exit code. `run` returns when SIGTERM or SIGINT stopped the agent, or
 * when the parent process that forked it has exited.
 */
export async function runHostAgent(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const onExitCode = (code: number) => {
    exitCode = code;
  };
  const program = new Command('cidermill host-agent')
    .description('Make this machine a host of a Cidermill service, and run its agent.')
    .exitOverride();
  program.addCommand(enrollCommand());
  program.addCommand(installCommand(onExitCode));
  program.addCommand(uninstallCommand(onExitCode));
  program.addCommand(runCommand(onExitCode));
  program.addCommand(upgradeCommand());
  program.addCommand(verifyCommand());
  for (const command of serviceCommands()) program.addCommand(command);
  program.addCommand(statusCommand(onExitCode));
  program.addCommand(logsCommand());
  program.addCommand(doctorCommand(dataOption(), onExitCode, runCommandAs));
  try {
    await program.parseAsync(argv as string[], { from: 'user' });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error);
  }
}
