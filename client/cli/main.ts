// Finds the command and runs it.

import { type Command, CommanderError } from 'commander';
import { commandIn } from './command-in.js';
import { commands, loadAll } from './commands.js';
import type { CliContext } from './context.js';
import { EXIT_OK, EXIT_USAGE } from './exit-codes.js';
import { createProgram } from './program.js';
import { programs } from './programs.js';
import { endWithOutput, reported, reportStrayErrors } from './reported.js';

/**
 * Runs the command line.
 *
 * @param context `process`
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export function main(context: CliContext, args: string[]): Promise<number> {
  return reported(context, args, () => run(context, args));
}

async function run(context: CliContext, args: string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    const { ownVersion } = await import('./own-version.js');
    context.stdout.write(`${await ownVersion()}\n`);
    return EXIT_OK;
  }
  const { name, others } = commandIn(args);
  const program = name !== null && Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program) {
    if (!program.serves(others)) endWithOutput(context);
    return program.run(others);
  }
  reportStrayErrors(context, args);
  return runCommandLine(context, args, name);
}

/**
 * Runs a command.
 *
 * @param name the command among the arguments; null without one
 * @returns the exit code
 */
async function runCommandLine(context: CliContext, args: string[], name: string | null): Promise<number> {
  const program = createProgram(context);
  for (const command of await wantedCommands(name)) add(command, program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE; // It has been printed.
  }
  return typeof context.exitCode === 'number' ? context.exitCode : EXIT_OK;
}

/** The one command of this name, or all of them. */
async function wantedCommands(name: string | null): Promise<Command[]> {
  const entry = name !== null && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return entry && name !== 'completion' ? [await entry.load()] : loadAll();
}

/** Adds a command that was made on its own; it and those below it take over how the root reports errors. */
function add(command: Command, parent: Command): void {
  const below = [...command.commands];
  parent.addCommand(command.copyInheritedSettings(parent));
  for (const child of below) child.copyInheritedSettings(command);
}
