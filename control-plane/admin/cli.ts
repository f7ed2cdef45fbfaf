// `cidermill admin`: the operator's commands. They work while the service runs and take effect immediately.
import { createInterface } from 'node:readline';
import { Command, CommanderError, Option } from 'commander';
import { visibleText } from '../../shared/clean-text.js';
import { systemClock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { systemProblem } from '../../shared/system-problem.js';
import { ConfigError } from '../config-error.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import { MoveRefused } from '../platform/store/move/moved.js';
import {
  createCli,
  type Execute,
  type ExecuteAlone,
  NotConfirmed,
  printed,
  type Screen,
  type Target,
  UsageError,
} from './command.js';
import { addCommands } from './commands/all.js';
import { NoDatabaseError } from './no-database.js';
import { openHere } from './open-here.js';
import { connectTo, type OperatorClient, UnreachableError } from './operator-client.js';

// Names and numbers of sysexits(3).
const EX_USAGE = 64;
const EX_DATAERR = 65;
const EX_NOINPUT = 66;
const EX_UNAVAILABLE = 69;
const EX_SOFTWARE = 70;
const EX_NOPERM = 77;

export interface Output {
  write(text: string): void;
  /** Prints an error message for people; `text` ends with a newline. */
  complain(text: string): void;
  /** Whether a person can be asked. Default: no. */
  readonly interactive?: boolean;
  /** Reads the first line of standard input. */
  readLine(): Promise<string>;
  /** The size of the terminal now; null or absent: text is not written to a terminal. */
  screen?(): Screen | null;
  /** The width of the terminal that errors are written to; null or absent: there is none. */
  errorColumns?(): number | null;
}

/**
 * Runs one admin command.
 *
 * @param argv arguments after `cidermill admin`
 * @param open connects to the service that the options name; default: as they and the environment say
 * @returns exit code: 0; 64 usage error; 65 the service rejects the command; 66 there is no database; 69 the service
 * cannot be reached; 77 the operator token is rejected; 70 any other error. The error message is printed to standard
 * error. Commands that wait have more codes, which their help names.
 * @example await runAdmin(['org', 'create', '--name', 'Apple Press', '--data', '/var/lib/cidermill', '--json'])
 */
export async function runAdmin(
  argv: readonly string[],
  output: Output = processOutput,
  open: (target: Target) => Promise<OperatorClient> = openTarget,
): Promise<number> {
  let exit = 0;
  const execute: Execute = async (target, work) => {
    const client = await open(target);
    const asJson = target.json === true;
    try {
      const code = await work({
        client,
        asJson,
        isRemote: addressOf(target) !== undefined,
        screen: output.screen?.() ?? null,
        show: (result) => output.write(printed(result, asJson)),
        write: output.write,
        confirm: (question) => confirm(question, output),
        readLine: output.readLine,
        pause: (ms) => pause(systemClock, ms),
        clock: systemClock,
      });
      exit = code ?? 0;
    } finally {
      await client.close();
    }
  };
  const line = createProgressLine(output);
  const executeAlone: ExecuteAlone = async ({ json }, work) => {
    const asJson = json === true;
    const code = await work({
      asJson,
      show(result) {
        line.clear();
        output.write(printed(result, asJson));
      },
      write: output.write,
      note(text) {
        line.clear();
        output.complain(`cidermill admin: ${visibleText(text)}\n`);
      },
      progress: line.show,
      pause: (ms) => pause(systemClock, ms),
      clock: systemClock,
    });
    exit = code ?? 0;
  };
  try {
    await createProgram(output, execute, executeAlone).parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    line.clear();
    return explain(error, output);
  }
}

/** A line of the terminal that is written again and again. */
function createProgressLine({ complain, errorColumns }: Output) {
  let isShown = false;
  const clear = () => {
    if (isShown) complain('\r\x1b[2K');
    isShown = false;
  };
  return {
    clear,
    show(text: string): void {
      const columns = errorColumns?.() ?? null;
      if (columns === null) return;
      clear();
      complain(visibleText(text).slice(0, columns - 1));
      isShown = true;
    },
  };
}

/** Returns the commands, without running one. */
export function createProgram(
  output: Pick<Output, 'write' | 'complain'>,
  execute: Execute,
  executeAlone: ExecuteAlone,
): Command {
  const program = new Command('cidermill admin').description('operate the service: hosts, organizations, orders, keys');
  // Throw instead of exiting the process: the caller decides. Subcommands inherit this.
  program.exitOverride();
  program.configureOutput({ writeOut: output.write, writeErr: output.complain });
  addCommands(program, createCli(execute, executeAlone));
  addCommonOptions(program);
  return program;
}

/** Accepts the common options before the command name too: `cidermill admin --json org list`. */
function addCommonOptions(command: Command): void {
  command
    .addOption(new Option('--data <dir>').hideHelp())
    .addOption(new Option('--url <address>').hideHelp())
    .addOption(new Option('--json').hideHelp());
  for (const group of command.commands) if (group.commands.length > 0) addCommonOptions(group);
}

const addressOf = ({ url }: Target): string | undefined => url ?? process.env.CIDERMILL_OPERATOR_URL;

async function openTarget(target: Target): Promise<OperatorClient> {
  const { data, evenMoved } = target;
  const url = addressOf(target);
  if (url === undefined) return openHere(data, { evenMoved });
  const token = process.env.CIDERMILL_OPERATOR_TOKEN;
  if (!token) throw new ConfigError(['CIDERMILL_OPERATOR_TOKEN: the token of the service is missing']);
  return connectTo(url, token, process.env);
}

/** Without a person at a terminal, says how to answer. */
async function confirm(question: string, output: Output): Promise<void> {
  if (!output.interactive) throw new NotConfirmed(`${question} Nothing was changed; repeat it with --yes.`);
  output.complain(`${visibleText(question, '\n')} [y/N] `);
  if (!/^y(es)?$/i.test((await output.readLine()).trim())) throw new NotConfirmed('Nothing was changed.');
}

/** Returns how to confirm on the command line, if the service asks for the field `confirmed`. */
function optionHint(error: unknown): string {
  const { fields = [] } = error instanceof ApiError ? error.detail : {};
  return fields.some(({ path }) => path === 'confirmed') ? ' On the command line: --yes.' : '';
}

function explain(error: unknown, output: Output): number {
  // Commander has already printed its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EX_USAGE;
  const problem = systemProblem(error);
  const message = problem?.text ?? (error instanceof Error ? error.message : String(error));
  output.complain(`cidermill admin: ${visibleText(message + optionHint(error), '\n')}\n`);
  if (error instanceof UnreachableError) return EX_UNAVAILABLE;
  if (error instanceof ApiError) {
    if (error.code === 'internal_error') return EX_SOFTWARE;
    if (error.code === 'secrets_unavailable') return EX_NOINPUT;
    return error.code === 'operator_token_required' ? EX_NOPERM : EX_DATAERR;
  }
  if (error instanceof MoveRefused) return EX_DATAERR;
  if (error instanceof ConfigError || error instanceof NotConfirmed || error instanceof UsageError || problem?.isInput)
    return EX_USAGE;
  return error instanceof NoDatabaseError ? EX_NOINPUT : EX_SOFTWARE;
}

const processOutput: Output = {
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  screen: () => {
    const { isTTY, columns = 80, rows = 24 } = process.stdout;
    return isTTY ? { columns, rows } : null;
  },
  errorColumns: () => (process.stderr.isTTY ? (process.stderr.columns ?? 80) : null),
  async readLine() {
    const lines = createInterface({ input: process.stdin });
    try {
      for await (const line of lines) return line;
      return '';
    } finally {
      lines.close();
    }
  },
};
