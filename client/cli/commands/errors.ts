import { Command, Option } from 'commander';
import type { ErrorFilter } from '../../types.js';
import { argumentReader } from '../declare-options.js';
import { formatTable, formatTime } from '../format.js';
import { wholeNumber } from '../options.js';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';

const FAULTS: NonNullable<ErrorFilter['fault']>[] = [
  ...(['client', 'platform', 'payment', 'capacity', 'customer', 'unknown'] as const),
];

interface Options {
  kind?: ErrorFilter['kind'];
  fault?: ErrorFilter['fault'];
  code?: string;
  since?: string;
  self?: boolean;
  limit?: number;
  before?: string;
}

/** `cidermill errors` */
export function errorsCommand(): Command {
  return new Command('errors')
    .description('list recent API errors and failed builds')
    .addOption(new Option('--kind <kind>', 'only API errors, or only builds').choices(['api', 'build']))
    .addOption(new Option('--fault <fault>', 'only errors that this party has to fix').choices(FAULTS))
    .option('--code <code>', 'only errors of this code')
    .option('--since <time>', 'only errors at this time or later (ISO 8601 or epoch milliseconds)')
    .option('--self', 'only errors of this key')
    .option('--limit <count>', 'entries on a page', argumentReader(wholeNumber(1)))
    .option('--before <id>', 'the page after this entry')
    .action((options: Options, command: Command) =>
      withSession(command, async ({ client, answer, style }) => {
        const { self, ...filter } = options;
        const page = await client.errors.list({ ...filter, ...(self ? { key: 'self' as const } : {}) });
        answer(page, ({ errors, next_before }) => {
          if (errors.length === 0) return 'no errors\n';
          const rows = errors.map((entry) => [
            formatTime(entry.at),
            entry.kind,
            printable(entry.reason_code ?? entry.code),
            printable(entry.fault),
            printable(entry.build_id ?? entry.request_id ?? '-'),
            printable(entry.message).slice(0, 100),
          ]);
          const more = next_before === null ? '' : style.out.dim(`more with --before ${next_before}\n`);
          return formatTable(['AT', 'KIND', 'CODE', 'FAULT', 'BUILD OR REQUEST', 'MESSAGE'], rows) + more;
        });
      }),
    );
}
