// The agent's command line: `enroll` makes this machine a host, `run` serves until it is stopped.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Command, CommanderError, Option } from 'commander';
import { ForeignFolderError } from '../shared/private-folder.js';
import { createHostAgent, type HostAgentOptions } from './compose.js';
import {
  type AgentConfig,
  type AgentConfigInput,
  agentConfig,
  ConfigError,
  configPath,
  isolationRefusal,
  readConfig,
} from './daemon/config.js';
import { enrolHost, NotEnrolledError } from './daemon/enrolment.js';
import { doctorCommand } from './doctor/command.js';
import { LockedError } from './system/lock.js';
import { AnswerError } from './system/request.js';

/** Exit codes of sysexits.h. */
const EXIT = { usage: 64, unreachable: 69, software: 70, tryLater: 75, refused: 77, config: 78 } as const;

interface CommonFlags {
  data: string;
  url?: string;
  allowUnisolated?: true;
}

/**
 * Runs the agent's command line and returns the exit code. `run` returns when SIGTERM or SIGINT stopped the agent, or
 * when the parent process that forked it has exited.
 */
export async function runHostAgent(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('cidermill host-agent')
    .description('Serve a Cidermill service with the Macs of this machine.')
    .exitOverride();
  program
    .command('enroll')
    .description('make this machine a host, with a one-time token from `cidermill admin host enroll`')
    .addOption(dataOption())
    .requiredOption('--url <url>', 'root address of the service')
    .option('--name <name>', 'name of this host, if the token has none')
    .option(
      '--token-file <file>',
      'file with the token; default: CIDERMILL_ENROLMENT_TOKEN, then standard input',
    )
    .addOption(
      new Option('--driver <name>', 'what a Mac is: folders of this machine, or virtual machines').choices(
        agentConfig.shape.driver.def.innerType.options,
      ),
    )
    .option('--allow-unisolated', 'allow builds without isolation between tenants (local driver)')
    .option('--ca-file <file>', 'PEM file of additional certificate authorities to trust')
    .option('--https-proxy <url>', 'proxy for https URLs; default: HTTPS_PROXY')
    .option('--bypass-proxy <hosts>', 'hosts to reach without the proxy; default: NO_PROXY')
    .option('--json', 'print the result as JSON')
    .action(async (flags: EnrolFlags) => enroll(flags));
  program
    .command('run')
    .description('serve until stopped; running builds survive')
    .addOption(dataOption())
    .option('--config <file>', 'instead of agent.json in the data folder')
    .addOption(
      new Option('--url <url>', 'root address of the service, instead of the configured one').env(
        'CIDERMILL_SITE_URL',
      ),
    )
    .option('--allow-unisolated', 'allow builds without isolation between tenants (local driver)')
    .action(async (flags: RunFlags) => {
      exitCode = await run(flags);
    });
  program.addCommand(
    doctorCommand(dataOption(), (code) => {
      exitCode = code;
    }),
  );
  try {
    await program.parseAsync(argv as string[], { from: 'user' });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error);
  }
}

const dataOption = () =>
  new Option('--data <dir>', 'data folder of this host')
    .default('/var/lib/cidermill')
    .env('CIDERMILL_HOST_DATA');

type EnrolFlags = CommonFlags & {
  url: string;
  name?: string;
  driver?: AgentConfig['driver'];
  tokenFile?: string;
  caFile?: string;
  httpsProxy?: string;
  bypassProxy?: string;
  json?: true;
};
type RunFlags = CommonFlags & { config?: string };

const configOf = (flags: CommonFlags): Partial<AgentConfigInput> => ({
  ...(flags.url === undefined ? {} : { control_plane: flags.url }),
  ...(flags.allowUnisolated ? { allow_unisolated: true } : {}),
});

const networkFlags = (flags: EnrolFlags): Partial<AgentConfigInput> => ({
  ...(flags.caFile === undefined ? {} : { ca_file: resolve(flags.caFile) }),
  ...(flags.httpsProxy === undefined ? {} : { https_proxy: flags.httpsProxy }),
  ...(flags.bypassProxy === undefined ? {} : { no_proxy: flags.bypassProxy }),
});

async function enroll(flags: EnrolFlags): Promise<void> {
  const host = await enrolHost({
    dataDir: flags.data,
    config: {
      ...configOf(flags),
      ...networkFlags(flags),
      ...(flags.driver === undefined ? {} : { driver: flags.driver }),
      control_plane: flags.url,
    },
    token: await readToken(flags.tokenFile),
    ...(flags.name === undefined ? {} : { hostname: flags.name }),
  });
  const { host_id, name } = host;
  const plain = `enrolled as ${name} (${host_id}); start it with: cidermill host-agent run --data ${flags.data}`;
  process.stdout.write(`${flags.json ? JSON.stringify({ host_id, name }) : plain}\n`);
  const refusal = isolationRefusal(readConfig(configPath(flags.data)));
  if (refusal !== null) process.stderr.write(`note: ${refusal}; until then the agent does not start\n`);
}

/** Never read from an argument, because arguments are visible in the process list. */
async function readToken(file: string | undefined): Promise<string> {
  const given = file === undefined ? process.env.CIDERMILL_ENROLMENT_TOKEN : readFileSync(file, 'utf8');
  const token = (given ?? (await (process.stdin.isTTY ? askLine('Token: ') : text(process.stdin)))).trim();
  if (token === '') throw new ConfigError('no token was given');
  return token;
}

/**
 * Reads one line from the terminal; empty at the end of input. The token is echoed, but is used up a moment later.
 */
function askLine(question: string): Promise<string> {
  return new Promise((answer) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    lines.once('close', () => answer(''));
    lines.question(question, (line) => {
      answer(line);
      lines.close();
    });
  });
}

async function run(flags: RunFlags): Promise<number> {
  const options: HostAgentOptions = { dataDir: flags.data, overrides: configOf(flags) };
  if (flags.config !== undefined) options.configFile = flags.config;
  const agent = createHostAgent(options);
  const signals = ['SIGTERM', 'SIGINT', ...(process.connected ? ['disconnect'] : [])];
  let requestStop: () => void = () => {};
  const stop = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  // Until the end: a second signal must not kill the process while it disconnects.
  for (const signal of signals) process.on(signal, requestStop);
  try {
    await agent.start();
    await stop;
    await agent.stop();
    return 0;
  } finally {
    // This listener would keep the process alive.
    for (const signal of signals) process.off(signal, requestStop);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const say = (code: number) => {
    process.stderr.write(`cidermill host-agent: ${error instanceof Error ? error.message : String(error)}\n`);
    return code;
  };
  if (error instanceof ConfigError || error instanceof ForeignFolderError) return say(EXIT.config);
  if (error instanceof LockedError) return say(EXIT.tryLater);
  if (error instanceof NotEnrolledError) return say(EXIT.refused);
  if (error instanceof AnswerError) return say(error.temporary ? EXIT.tryLater : EXIT.refused);
  if (error instanceof Error && 'code' in error && error.code !== undefined) return say(EXIT.unreachable);
  return say(EXIT.software);
}
