// What every admin command looks like: options in, one result out, printed as text or as one line of JSON.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type AdminService, withService } from './service.js';

export interface Result {
  /** One JSON value; `--json` prints it as one line. */
  readonly json: unknown;
  /** For people, without the final newline. */
  readonly text: string;
}

export interface Output {
  write(text: string): void;
  /** First line of standard input, for what must not stand in argv. */
  readLine(): Promise<string>;
}

/** Runs `work` with the command's own options and prints what it answers. */
export type Action = <Options>(
  work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>,
) => (...args: unknown[]) => Promise<void>;

export function createAction(output: Output): Action {
  return <Options>(work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>) =>
    async (...given) => {
      // Commander hands over the arguments, the options, and last the command.
      const command = given.at(-1);
      if (!(command instanceof Command)) throw new Error('not called by commander');
      const args = command.args;
      const options = command.opts<Options & { data: string; json?: boolean }>();
      const { json, text } = await withService(resolve(options.data), (service) =>
        work(service, options, ...args),
      );
      output.write(`${options.json ? JSON.stringify(json) : text}\n`);
    };
}

/** A subcommand with the options that all of them have. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--data <dir>', 'folder of the service', process.env.CIDERMILL_DATA ?? './.cidermill')
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
