import { Command } from 'commander';
import { declareOptions } from './declare-options.js';
import { globalOptions } from './options.js';

/** The root of the command tree, with what every command accepts. */
export function createProgram(): Command {
  return declareOptions(new Command('cidermill'), globalOptions)
    .description('Build on rented Macs from any folder.')
    .option('-V, --version', 'print the version (alone)')
    .showHelpAfterError('(add --help for what it accepts)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
}
