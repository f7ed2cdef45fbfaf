// The common parts of admin commands: options, and results printed as text or as one line of JSON.
import { Command, type Option } from 'commander';
import type { z } from 'zod';
import { printedJson, visibleText } from '../../shared/clean-text.js';
import type { Clock } from '../../shared/clock.js';
import { fieldText } from '../platform/http/issue-problem.js';
import type { Operation } from '../platform/http/operation.js';
import { padded, widthOf } from './fit-table.js';
import { addFieldOptions, fieldValues, optionFlag } from './operation-options.js';
import type { OperatorClient } from './operator-client.js';

export interface Result {
  /** `--json` prints it as one line. */
  readonly json: unknown;
  /** Text for people, without the final newline. */
  readonly text: string;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** One invocation of a command that needs no service. */
export interface RunAlone {
  readonly asJson: boolean;
  show(result: Result): void;
  /** Prints text as it is. */
  write(text: string): void;
  /** Tells something before the end; it is no part of the output. */
  note(text: string): void;
  /** Shows how far it is, in one line of a terminal; does nothing without one. */
  progress(text: string): void;
  /** Waits in real time. */
  pause(ms: number): Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
}

/** One invocation of a command. */
export interface Run {
  readonly client: OperatorClient;
  /** The size of the terminal; null: text is not written to a terminal. */
  readonly screen: Screen | null;
  readonly asJson: boolean;
  /** Whether the service is on another machine. */
  readonly isRemote: boolean;
  show(result: Result): void;
  /** Prints text as it is. */
  write(text: string): void;
  /** Asks the person at the terminal. Throws NotConfirmed when there is none, or the answer is no. */
  confirm(question: string): Promise<void>;
  /** Reads the first line of standard input, for values that must not appear in arguments, such as passwords. */
  readLine(): Promise<string>;
  /** Waits in real time. */
  pause(ms: number): Promise<void>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The person did not agree. Nothing was changed. */
export class NotConfirmed extends Error {}

/** An option or argument has a value that the operation does not take. Nothing was changed. */
export class UsageError extends Error {}

/** Returns the exit code, if it is not 0. */
export type Work<Options> = (run: Run, options: Options, ...args: string[]) => Promise<number | undefined>;

/** Returns the exit code, if it is not 0. */
type WorkAlone<Options> = (run: RunAlone, options: Options) => Promise<number | undefined>;

/** The options that all commands have. */
export interface Target {
  readonly data: string;
  /** Address of a remote service. If absent, the command uses the folder `data`. */
  readonly url?: string;
  readonly json?: boolean;
  /** Also the database that was left when the installation was moved to another. */
  readonly evenMoved?: boolean;
}

/** Runs the work of a command with what its options ask for. */
export type Execute = (target: Target, work: (run: Run) => Promise<number | undefined>) => Promise<void>;
export type ExecuteAlone = (target: Target, work: (run: RunAlone) => Promise<number | undefined>) => Promise<void>;

export interface Cli {
  /** Adds a command. `usage` is relative to `parent`. */
  command<Options>(parent: Command, usage: string, description: string, work: Work<Options>): Command;
  /** Adds a command that needs no service. */
  commandAlone<Options>(parent: Command, usage: string, description: string, work: WorkAlone<Options>): Command;
  /**
   * Adds the command of an operation. Its arguments are fields of the input, its options all other fields.
   *
   * @example cli.operation(order, 'cancel <order_no>', cancelOrder, { text: ({ order_no, status }) => `${order_no} is ${status}` });
   */
  operation<Shape extends z.ZodObject, Answer extends z.ZodType>(
    parent: Command,
    usage: string,
    definition: Operation<never, Shape, Answer>,
    how: OperationCommand<Shape, Answer>,
  ): Command;
}

export interface OperationCommand<Shape extends z.ZodObject, Answer extends z.ZodType> {
  text?(answer: z.output<Answer>): string;
  /** What is printed instead, e.g. what is read after the change; null: nothing. */
  result?(run: Run, answer: z.output<Answer>, options: Record<string, unknown>): Promise<Result | null>;
  /** It works on the database that was left by a move, too. */
  readonly evenMoved?: boolean;
  /** Default: the summary of the operation. */
  readonly description?: string;
  /** Fields that are neither arguments nor options: `more` gives them. */
  readonly without?: readonly string[];
  /** Further values of the input, and checks of what was given. */
  more?(run: Run, given: Record<string, unknown>, options: Record<string, unknown>): Promise<Partial<z.input<Shape>>>;
  /** Options of the command alone. */
  readonly options?: readonly Option[];
  /** Runs after the answer was printed. Returns the exit code, if it is not 0. */
  after?(run: Run, answer: z.output<Answer>, options: Record<string, unknown>): Promise<number | undefined>;
}

export function createCli(execute: Execute, executeAlone: ExecuteAlone): Cli {
  const withOptions = (parent: Command, usage: string, description: string) =>
    parent
      .command(usage)
      .description(description)
      .option('--data <dir>', 'folder of the service', process.env.CIDERMILL_DATA ?? './.cidermill')
      .option('--url <address>', 'a service elsewhere; its operator token comes in CIDERMILL_OPERATOR_TOKEN')
      .option('--json', 'print one line of JSON');
  const command = <Options>(
    parent: Command,
    usage: string,
    description: string,
    work: Work<Options>,
    evenMoved = false,
  ): Command => {
    const made = withOptions(parent, usage, description);
    return made.action(async (...given: unknown[]) => {
      // Commander passes the arguments, then the options, then the command.
      const called = given.at(-1);
      if (!(called instanceof Command)) throw new Error('not called by commander');
      // Options of `cidermill admin` are accepted anywhere, and take precedence.
      const options = called.optsWithGlobals<Target>();
      await execute({ ...options, evenMoved }, (run) => work(run, options as never, ...called.args));
    });
  };
  return {
    command: (...given) => command(...given),
    commandAlone(parent, usage, description, work) {
      const made = withOptions(parent, usage, description);
      return made.action(() => {
        const options = made.optsWithGlobals<Target>();
        return executeAlone(options, (run) => work(run, options as never));
      });
    },
    operation(parent, usage, definition, how) {
      const { input } = definition;
      const fields = [...usage.matchAll(/[<[]([a-z_]+)(\.\.\.)?[\]>]/g)].map(([, name = '', many]) => ({ name, many }));
      const names = fields.map(({ name }) => name);
      const without = [...names, ...(how.without ?? [])];
      const work: Work<Record<string, unknown>> = async (run, options, ...args) => {
        const given: Record<string, unknown> = fieldValues(input, options, { without });
        fields.forEach(({ name, many }, at) => {
          const value = many ? args.slice(at) : args[at];
          if (value !== undefined) given[name] = value;
        });
        const whole = { ...given, ...(await how.more?.(run, given, options)) };
        const checked = input.safeParse(whole, { error: fieldText });
        if (!checked.success) throw new UsageError(problemText(checked.error, input, names));
        const answer = await run.client.run(definition, whole as z.input<typeof input>);
        const shown = how.result
          ? await how.result(run, answer, options)
          : { json: answer, text: how.text?.(answer) ?? '' };
        if (shown !== null) run.show(shown);
        return how.after?.(run, answer, options);
      };
      const made = command(parent, usage, how.description ?? definition.summary, work, how.evenMoved);
      addFieldOptions(made, input, { without });
      for (const option of how.options ?? []) made.addOption(option);
      return made;
    },
  };
}

/** @example "option --micro-usd: expected a whole number other than 0" */
function problemText({ issues }: z.ZodError, input: z.ZodObject, args: readonly string[]): string {
  const [first] = issues;
  const [field = ''] = first?.path.map(String) ?? [];
  const where = args.includes(field) ? `argument <${field}>` : `option ${optionFlag(field, input)}`;
  return `${where}: ${first?.message ?? 'invalid'}`;
}

/** Prints the result as the options of the command ask. */
export const printed = ({ json, text }: Result, asJson: boolean): string =>
  asJson ? `${printedJson(json)}\n` : text === '' ? '\n' : `${visibleText(text, '\n')}\n`;

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

/**
 * Reads every page of a list of the operator API.
 *
 * @example await everyPage((cursor) => client.read(listMembers, org, { cursor }))
 */
export async function everyPage<T>(
  read: (cursor: string | null) => Promise<{ readonly data: readonly T[]; readonly next_cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await read(cursor);
    all.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return all;
  }
}
