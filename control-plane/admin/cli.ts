// `cidermill admin`: the operator's commands. They work while the service runs and take effect immediately.

import { createInterface } from 'node:readline';
import { Command, CommanderError } from 'commander';
import { visibleText } from '../../shared/clean-text.js';
import { ConfigError } from '../config-error.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import { addCommonOptions, createAction, type Output, type Perform, type Result, textOf } from './command.js';
import { addAuditCommand } from './commands/audit.js';
import { addCreditCommands } from './commands/credit.js';
import { addHostCommands } from './commands/hosts/host-commands.js';
import { addImageCommands } from './commands/images.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';
import { addMemberCommands } from './commands/members.js';
import { addNoticeCommands } from './commands/notices.js';
import { addOrderCommands } from './commands/orders.js';
import { addOrganizationCommands } from './commands/organizations.js';
import { addPaymentCommands } from './commands/payments.js';
import { addRentalCommands } from './commands/rentals.js';
import { addTierCommands } from './commands/tiers.js';
import { addUserCommands } from './commands/users.js';
import { addWorkspaceCommands } from './commands/workspaces.js';
import { NoDatabaseError } from './no-database.js';
import { performHereOrThere, UnreachableError } from './perform.js';

// Names and numbers of sysexits(3).
const EX_USAGE = 64;
const EX_DATAERR = 65;
const EX_NOINPUT = 66;
const EX_UNAVAILABLE = 69;
const EX_SOFTWARE = 70;
const EX_NOPERM = 77;

/**
 * Runs one admin command.
 *
 * @param argv arguments after `cidermill admin`
 * @returns exit code: 0; 64 usage error; 65 the service rejects the command; 66 there is no database; 69 the service
 * cannot be reached; 77 the operator token is rejected; 70 any other error. The error message is printed to standard
 * error. Commands that wait have more codes, which their help names.
 * @example await runAdmin(['org', 'create', '--name', 'Apple Press', '--data', '/var/lib/cidermill', '--json'])
 */
export async function runAdmin(argv: readonly string[], output: Output = processOutput): Promise<number> {
  try {
    const perform = performHereOrThere(process.env, output);
    // Long results come in pages, so that neither side has the whole in memory.
    for (let page: string | null = null; ; ) {
      let result: Result | null = null;
      await runCommand(page === null ? argv : [...argv, '--page', page], output, async (call) => {
        result = await perform(call);
        return result;
      });
      const question = textOf(result, 'confirm');
      if (question !== null) return await confirmed(question, argv, output);
      page = textOf(result, 'next');
      if (page === null) return exitCodeOf(result);
    }
  } catch (error) {
    return explain(error, output);
  }
}

/**
 * Parses one admin command and runs it with `perform`.
 *
 * @throws CommanderError if it cannot be parsed (the message is already printed to `output`), and errors of `perform`
 */
export async function runCommand(argv: readonly string[], output: Output, perform: Perform): Promise<void> {
  await createProgram(argv, output, perform).parseAsync([...argv], { from: 'user' });
}

/** Returns the commands, without running one. */
export function createProgram(argv: readonly string[], output: Output, perform: Perform): Command {
  const action = createAction(argv, output, perform);
  const program = new Command('cidermill admin').description('run the service');
  // Throw instead of exiting the process: the caller decides. Subcommands inherit this.
  program.exitOverride();
  program.configureOutput({ writeOut: output.write, writeErr: output.complain });
  addOrganizationCommands(program, action);
  addUserCommands(program, action, output);
  addMemberCommands(program, action);
  addWorkspaceCommands(program, action);
  addKeyCommands(program, action);
  addTierCommands(program, action);
  addHostCommands(program, action);
  addImageCommands(program, action);
  addNoticeCommands(program, action);
  addOrderCommands(program, action);
  addPaymentCommands(program, action);
  addCreditCommands(program, action);
  addRentalCommands(program, action);
  addMaintenanceCommands(program, action);
  addAuditCommand(program, action);
  addCommonOptions(program);
  return program;
}

/** Asks the person at the terminal; without one, says how to answer. */
async function confirmed(question: string, argv: readonly string[], output: Output): Promise<number> {
  if (!output.interactive) {
    output.complain(`cidermill admin: ${visibleText(question, '\n')} Nothing was changed; repeat it with --yes.\n`);
    return EX_USAGE;
  }
  output.complain(`${visibleText(question, '\n')} [y/N] `);
  if (/^y(es)?$/i.test((await output.readLine()).trim())) return runAdmin([...argv, '--yes'], output);
  output.complain('Nothing was changed.\n');
  return EX_USAGE;
}

/** Results that are no errors of the command can have an exit code too, such as a wait that has timed out. */
function exitCodeOf(result: Result | null): number {
  const json = result?.json;
  const code: unknown = typeof json === 'object' && json !== null && 'exit_code' in json ? json.exit_code : 0;
  return typeof code === 'number' ? code : 0;
}

function explain(error: unknown, output: Output): number {
  // Commander has already printed its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EX_USAGE;
  const message = error instanceof Error ? error.message : String(error);
  output.complain(`cidermill admin: ${visibleText(message, '\n')}\n`);
  if (error instanceof UnreachableError) return EX_UNAVAILABLE;
  if (error instanceof ApiError) {
    return error.code === 'operator_token_required' ? EX_NOPERM : EX_DATAERR;
  }
  if (error instanceof ConfigError) return EX_USAGE;
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
