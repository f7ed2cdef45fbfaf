import { type Command, Option } from 'commander';
import { type Cli, table, UsageError } from '../command.js';
import type { MovedHere } from '../move-here.js';

interface Options {
  readonly data: string;
  readonly url?: string;
  readonly to?: string;
  readonly objects?: string;
  readonly evenLost?: boolean;
}

export function addMigrateCommand(program: Command, cli: Cli): void {
  cli
    .commandAlone<Options>(
      program,
      'migrate',
      'move a stopped service from its data folder: its database to PostgreSQL, its files to an object store, or both',
      async ({ show, note, progress }, { data, url, to, objects, evenLost = false }) => {
        if (url !== undefined) throw new UsageError('migrate works on the machine of the service: give --data');
        const address = to || process.env.CIDERMILL_DATABASE_URL || null;
        if (address === null && !objects)
          throw new UsageError('give --to, or set CIDERMILL_DATABASE_URL; or give --objects');
        // Commands of a service elsewhere load neither database.
        const { moveHere } = await import('../move-here.js');
        const moved = await moveHere(data, { to: address, objects: objects || null, evenLost, note, progress });
        show({ json: jsonOf(moved), text: textOf(moved, data) });
        return undefined;
      },
    )
    .addOption(
      new Option(
        '--to <address>',
        'an empty database, postgres://USER:PASSWORD@HOST:PORT/DATABASE; default: CIDERMILL_DATABASE_URL',
      ),
    )
    .addOption(
      new Option(
        '--objects <place>',
        's3://BUCKET[/PREFIX] or file:///FOLDER; the variables of S3 are those of the service',
      ),
    )
    .addOption(
      new Option('--even-lost', 'move the files although some that the database names are missing or damaged'),
    );
}

const jsonOf = ({ rows, objects }: MovedHere) => ({
  database: rows && { to: rows.to, tables: rows.tables },
  objects: objects && { to: objects.place, kinds: objects.kinds, lost: objects.lost },
});

function textOf({ rows, objects }: MovedHere, data: string): string {
  const lines: string[] = [];
  const next: string[] = [];
  if (objects !== null) {
    const { place, kinds, lost, before } = objects;
    lines.push(table(kinds.map(({ kind, count, bytes, sha256 }) => [kind, String(count), String(bytes), sha256])));
    lines.push(
      `The files of ${data} ${before ? 'have been moved already' : 'are moved'} to ${place}, compared by SHA-256.`,
    );
    if (lost > 0) lines.push(`Without ${lost} that were missing or damaged.`);
    next.push('CIDERMILL_OBJECTS');
  }
  if (rows !== null) {
    const { to, tables, before } = rows;
    const sum = tables.reduce((all, one) => all + one.rows, 0);
    lines.push(table(tables.map((one) => [one.table, String(one.rows), one.sha256])));
    const what = `${data} ${before ? 'has been moved already' : 'is moved'} to the database ${to}`;
    lines.push(`${what}: ${tables.length} tables, ${sum} rows, compared row by row.`);
    next.push('CIDERMILL_DATABASE_URL');
  }
  lines.push(
    `Set ${next.join(' and ')}${next.length > 1 ? ' to their addresses' : ' to its address'}, for the service and for cidermill admin; then start the service.`,
  );
  if (objects !== null) lines.push(`The folders contents and logs in ${data} are no longer used.`);
  return lines.join('\n');
}
