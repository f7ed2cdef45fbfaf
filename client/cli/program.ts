import { Command } from 'commander';

/** The root of the command tree, with what every command accepts. */
export function createProgram(): Command {
  return new Command('cidermill')
    .description('Build on rented Macs from any folder.')
    .option('--url <address>', "the service's base_url (else CIDERMILL_URL, else what login stored)")
    .option('--key <key>', 'API key (else CIDERMILL_API_KEY, else what login stored)')
    .option('--json', 'answer with one JSON document on standard output')
    .option('-V, --version', 'print the version (alone)')
    .showHelpAfterError('(add --help for what it accepts)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
}
