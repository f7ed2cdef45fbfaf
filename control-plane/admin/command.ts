// What every admin command looks like: options in, one result out, printed as text or as one line of JSON.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { AdminService } from './service.js';

export interface Result {
  /** One JSON value; `--json` prints it as one line. */
  readonly json: unknown;
  /** For people, without the final newline. */
  readonly text: string;
}

export interface Output {
  write(text: string): void;
  /** What went wrong, for people, with its newline. */
  complain(text: string): void;
  /** First line of standard input, for what must not stand in argv. */
  readLine(): Promise<string>;
}

/** What every command was given besides its own options. */
export interface Target {
  readonly data: string;
  /** Address of a service elsewhere; without it the folder `data` is meant. */
  readonly url?: string;
}

/** One command on its way: run where the service is, here or elsewhere. */
export interface Call {
  readonly target: Target;
  /** The command as it was given, for a service elsewhere. */
  readonly argv: readonly string[];
  /** Does the command read a line of standard input? */
  readonly reads: boolean;
  work(service: AdminService): Promise<Result>;
}

/** Has a command done: on the database of this machine's folder, in a running service, or over its address. */
export type Perform = (call: Call) => Promise<Result>;

/** Runs `work` with the command's own options and prints what it answers. */
export type Action = <Options>(
  work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>,
) => (...args: unknown[]) => Promise<void>;

export function createAction(argv: readonly string[], output: Output, perform: Perform): Action {
  return <Options>(work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>) =>
    async (...given) => {
      // Commander hands over the arguments, the options, and last the command.
      const command = given.at(-1);
      if (!(command instanceof Command)) throw new Error('not called by commander');
      // Those of `cidermill admin` itself may stand anywhere, and win.
      const options = command.optsWithGlobals<
        Options & Target & { json?: boolean; passwordStdin?: boolean }
      >();
      const { json, text } = await perform({
        target: options,
        argv,
        reads: options.passwordStdin === true,
        work: (service) => work(service, options, ...command.args),
      });
      output.write(`${options.json ? JSON.stringify(json) : text}\n`);
    };
}

/** Lets the options that all commands have stand before the words too: `cidermill admin --json org list`. */
export function addCommonOptions(command: Command): void {
  command
    .addOption(new Option('--data <dir>').hideHelp())
    .addOption(new Option('--url <address>').hideHelp())
    .addOption(new Option('--json').hideHelp());
  for (const group of command.commands) if (group.commands.length > 0) addCommonOptions(group);
}

/** A subcommand with the options that all of them have. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--data <dir>', 'folder of the service', process.env.CIDERMILL_DATA ?? './.cidermill')
    .option('--url <address>', 'a service elsewhere; its operator token comes in CIDERMILL_OPERATOR_TOKEN')
    .option('--json', 'print one line of JSON');
}

export function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number.');
  return Number(text);
}

export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false.');
  return text === 'true';
}

/** Columns of a table, padded; nothing at all for no rows. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
