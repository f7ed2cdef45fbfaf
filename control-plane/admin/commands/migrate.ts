import { type Command, Option } from 'commander';
import { type Cli, table, UsageError } from '../command.js';

interface Options {
  readonly data: string;
  readonly url?: string;
  readonly to?: string;
}

export function addMigrateCommand(program: Command, cli: Cli): void {
  cli
    .commandAlone<Options>(
      program,
      'migrate',
      'move the database of a stopped service from its data folder to PostgreSQL',
      async ({ show, note }, { data, url, to }) => {
        if (url !== undefined) throw new UsageError('migrate works on the machine of the service: give --data');
        const address = to ?? process.env.CIDERMILL_DATABASE_URL;
        if (!address) throw new UsageError('give --to, or set CIDERMILL_DATABASE_URL');
        // Commands of a service elsewhere load neither database.
        const { moveHere } = await import('../move-here.js');
        const { to: place, tables, before } = await moveHere(data, address, note);
        const rows = tables.reduce((sum, one) => sum + one.rows, 0);
        const what = `${data} ${before ? 'has been moved already' : 'is moved'} to the database ${place}`;
        const counts = table(tables.map((one) => [one.table, String(one.rows), one.sha256]));
        show({
          json: tables,
          text: `${counts}\n${what}: ${tables.length} tables, ${rows} rows, compared row by row.\nSet CIDERMILL_DATABASE_URL to its address, for the service and for cidermill admin; then start the service.`,
        });
        return undefined;
      },
    )
    .addOption(
      new Option(
        '--to <address>',
        'an empty database, postgres://USER:PASSWORD@HOST:PORT/DATABASE; default: CIDERMILL_DATABASE_URL',
      ),
    );
}
