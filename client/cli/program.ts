import { Command } from 'commander';
import type { CliContext, Output } from './context.js';
import { declareOptions } from './declare-options.js';
import { globalOptions } from './options.js';

/** The root of the command tree. */
class Program extends Command {
  readonly context: CliContext;
  constructor(context: CliContext) {
    super('cidermill');
    this.context = context;
  }
}

/** Returns the root of the command tree, with what every command accepts. */
export function createProgram(context: CliContext): Command {
  const { stdout, stderr } = context;
  return declareOptions(new Program(context), globalOptions)
    .description('Build on rented Macs from any folder.')
    .option('-V, --version', 'print the version (alone)')
    .showHelpAfterError('(add --help for what it accepts)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    .exitOverride();
}

/** Returns the context that the program of a command was created with. */
export function contextOf(command: Command): CliContext {
  if (command instanceof Program) return command.context;
  if (command.parent === null) throw new Error(`${command.name()} is in no program`);
  return contextOf(command.parent);
}

/** Commander's type has no undefined, which means that the stream is no terminal. */
const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number;
