// `cidermill host-agent run`: serves until it is stopped.
import { Command, Option } from 'commander';
import { finishOutput, ignoreErrors } from '../../shared/log-output.js';
import { createHostAgent, type HostAgentOptions } from '../compose.js';
import { type CommonFlags, configOf, dataOption } from './options.js';

type RunFlags = CommonFlags & { config?: string };

/** @param onExitCode called with 0 when the agent was stopped */
export function runCommand(onExitCode: (code: number) => void): Command {
  return new Command('run')
    .exitOverride()
    .description('run the agent until it is stopped; builds continue after that')
    .addOption(dataOption())
    .option('--config <file>', 'configuration file (default: agent.json in the data folder)')
    .addOption(
      new Option('--url <url>', 'root address of the service, instead of the configured one').env('CIDERMILL_SITE_URL'),
    )
    .option('--allow-unisolated', 'allow builds without isolation between tenants (local driver)')
    .action(async (flags: RunFlags) => onExitCode(await run(flags)));
}

async function run(flags: RunFlags): Promise<number> {
  ignoreErrors(process.stdout);
  ignoreErrors(process.stderr);
  const options: HostAgentOptions = { dataDir: flags.data, overrides: configOf(flags) };
  if (flags.config !== undefined) options.configFile = flags.config;
  let requestStop: () => void = () => {};
  options.onReplaced = () => requestStop();
  const agent = createHostAgent(options);
  // The agent stops when its supervisor has died.
  const supervised = process.send !== undefined;
  const signals = ['SIGTERM', 'SIGINT', ...(supervised ? ['disconnect'] : [])];
  const stop = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  // Until the end: a second signal must not kill the process while it disconnects.
  for (const signal of signals) process.on(signal, requestStop);
  if (supervised && !process.connected) requestStop();
  try {
    await agent.start();
    await stop;
    await agent.stop();
    await finishOutput(0);
    return 0;
  } finally {
    // This listener would keep the process alive.
    for (const signal of signals) process.off(signal, requestStop);
  }
}
