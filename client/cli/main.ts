// Finds the command and runs it.
import { commandIn } from './command-in.js';
import { runCommandLine } from './command-line.js';
import type { CliContext } from './context.js';
import { EXIT_OK } from './exit-codes.js';
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
