// The common parts of admin commands: options, and one result, printed as text or as one line of JSON.
import { Command, InvalidArgumentError, Option } from 'commander';
import { printedJson, visibleText } from '../../shared/clean-text.js';
import { commandAction } from '../access/domain/audit-actions.js';
import { padded, widthOf } from './fit-table.js';
import type { AdminService } from './service.js';

export interface Result {
  /**
   * One JSON value; `--json` prints it as one line. An object with the text `confirm` is a question: the command has
   * changed nothing, and does its work when it is repeated with `--yes`.
   */
  readonly json: unknown;
  /** Text for people, without the final newline. */
  readonly text: string;
}

/** Returns a text of the result's JSON, or null. */
export function textOf(result: Result | null, name: 'next' | 'confirm'): string | null {
  const json = result?.json;
  const text: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : null;
  return typeof text === 'string' ? text : null;
}

export interface Output {
  write(text: string): void;
  /** Prints an error message for people; `text` ends with a newline. */
  complain(text: string): void;
  /** Whether a person can be asked. Default: no. */
  readonly interactive?: boolean;
  /** Reads the first line of standard input, for values that must not appear in argv, such as passwords. */
  readLine(): Promise<string>;
  /** The size of the terminal now; null or absent: text is not written to a terminal. */
  screen?(): Screen | null;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** The options that all commands have. */
export interface Target {
  readonly data: string;
  /** Address of a remote service. If absent, the command uses the folder `data`. */
  readonly url?: string;
}

/** One invocation of a command, on this machine or in a remote service. */
export interface Call {
  readonly target: Target;
  /** The arguments as given, to be sent to a remote service. */
  readonly argv: readonly string[];
  /** The name of the command. @example 'org create' */
  readonly words: string;
  /** Whether the command reads a line of standard input. */
  readonly reads: boolean;
  /** Its name in the audit log; null if the command changes nothing. */
  readonly action: string | null;
  /** The organization given to the command (id, slug or number). */
  readonly org: string | null;
  /** The other object given to the command, such as a key id or an e-mail. */
  readonly subject: string | null;
  work(service: AdminService): Promise<Result>;
}

/** Runs a command: on the database of a local folder, in this process's service, or in a remote service. */
export type Perform = (call: Call) => Promise<Result>;

/** Returns what a command prints. Runs on the operator's machine, with the options as they were given. */
export type Print<Options> = (
  result: Result,
  how: { readonly asJson: boolean; readonly options: Options; readonly screen: Screen | null },
) => string;

/** Returns a handler that runs `work` with the command's options and prints its result. */
export type Action = <Options>(
  work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>,
  print?: Print<Options>,
) => (...args: unknown[]) => Promise<void>;

const asOneLine: Print<unknown> = ({ json, text }, { asJson }) =>
  `${asJson ? printedJson(json) : visibleText(text, '\n')}\n`;

export function createAction(argv: readonly string[], output: Output, perform: Perform): Action {
  return <Options>(
    work: (service: AdminService, options: Options, ...args: string[]) => Promise<Result>,
    print: Print<Options> = asOneLine,
  ) =>
    async (...given) => {
      // Commander passes the arguments, then the options, then the command.
      const command = given.at(-1);
      if (!(command instanceof Command)) throw new Error('not called by commander');
      // Options of `cidermill admin` are accepted anywhere, and take precedence.
      const options = command.optsWithGlobals<
        Options & Target & { json?: boolean; passwordStdin?: boolean; columns?: number } & Named
      >();
      const screen = output.screen?.() ?? null;
      // What the text must fit into; a command that fits nothing has no such option.
      if (screen !== null && command.options.some(({ long }) => long === '--columns')) {
        options.columns ??= screen.columns;
      }
      const { columns } = options;
      const result = await perform({
        target: options,
        argv: columns === undefined ? argv : [...argv, '--columns', String(columns)],
        words: wordsOf(command),
        reads: options.passwordStdin === true,
        ...auditedAs(command, options),
        work: (service) => work(service, options, ...command.args),
      });
      output.write(print(result, { asJson: options.json === true, options, screen }));
    };
}

/** Options that identify the object of a command. */
interface Named {
  readonly org?: string;
  readonly tier?: string;
  readonly dryRun?: boolean;
  /** `approve --list` and `upgrade --status` change nothing. */
  readonly list?: boolean;
  readonly status?: boolean;
  /** A later page of a command's output; it changes nothing. */
  readonly page?: unknown;
}

function auditedAs(command: Command, options: Named): Pick<Call, 'action' | 'org' | 'subject'> {
  const words = wordsOf(command);
  const [first = null] = command.args;
  const isOrg = words.startsWith('org ') || words.startsWith('credit ');
  const readsOnly = options.dryRun || options.list || options.status || options.page !== undefined;
  return {
    action: readsOnly ? null : commandAction(words),
    org: options.org ?? (isOrg ? first : null),
    // A password can be typed where the address of a user belongs.
    subject: isOrg || words.startsWith('user ') ? null : (first ?? options.tier ?? null),
  };
}

/** @example 'org create' */
export function wordsOf(command: Command): string {
  const above = command.parent?.parent ? [wordsOf(command.parent)] : [];
  return [...above, command.name()].join(' ');
}

/** Accepts the common options before the command name too: `cidermill admin --json org list`. */
export function addCommonOptions(command: Command): void {
  command
    .addOption(new Option('--data <dir>').hideHelp())
    .addOption(new Option('--url <address>').hideHelp())
    .addOption(new Option('--json').hideHelp());
  for (const group of command.commands) if (group.commands.length > 0) addCommonOptions(group);
}

/** Adds a subcommand with the common options. */
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

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @example parsePeriod('7d') // 604800000, in ms; null if it is no period */
export function parsePeriod(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? null : Number(number) * unitMs;
}

/** Returns the time in ms. */
export function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('expected an ISO 8601 time.');
  return time;
}

export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false.');
  return text === 'true';
}

/** Returns the rows as padded columns; an empty string for no rows. Each row is one line, whatever its cells hold. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => visibleText(cell)));
  const widths = (clean[0] ?? []).map((_, i) => Math.max(...clean.map((row) => widthOf(row[i] ?? ''))));
  return clean
    .map((row) =>
      row
        .map((cell, i) => padded(cell, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
