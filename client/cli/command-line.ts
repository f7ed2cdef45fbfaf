// Parses the command line with commander and runs the command.
import { type Command, CommanderError } from 'commander';
import { commands, loadAll } from './commands.js';
import type { CliContext } from './context.js';
import { EXIT_OK, EXIT_USAGE } from './exit-codes.js';
import { createProgram } from './program.js';

/**
 * Runs a command.
 *
 * @param name the command among the arguments; null without one
 * @returns the exit code
 */
export async function runCommandLine(context: CliContext, args: string[], name: string | null): Promise<number> {
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
