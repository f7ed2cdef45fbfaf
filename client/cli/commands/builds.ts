import { Command, Option } from 'commander';
import { rentalsApi } from '../../api/rentals.js';
import { rentalIdOf } from '../../find-macs.js';
import type { BuildFilter } from '../../types.js';
import { argumentReader } from '../declare-options.js';

import { wholeNumber } from '../options.js';

import { buildsTable } from '../render-builds.js';
import { withSession } from '../session.js';

interface Options {
  status?: NonNullable<BuildFilter['status']>;
  repo?: string;
  pr?: number;
  rental?: string;
  from?: string;
  to?: string;
  query?: string;
  before?: string;
  limit?: number;
}

const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled', 'active'];

/** `cidermill builds` */
export function buildsCommand(): Command {
  return new Command('builds')
    .description('list builds, newest first')
    .addOption(new Option('--status <status>', 'only builds with this status').choices(STATUSES))
    .option('--repo <repo>', 'only builds of owner/name or of a repository address')
    .option('--pr <number>', 'only builds of a pull request', argumentReader(wholeNumber(1)))
    .option('--rental <mac>', 'only builds on a Mac (name or id), or pinned to it')
    .option('--from <time>', 'created at this time or later (ISO 8601 or epoch milliseconds)')
    .option('--to <time>', 'created before this time')
    .option('-q, --query <text>', 'text in repository, ref, script or build id')
    .option('--before <build>', 'the page after this build')
    .option('--limit <count>', 'builds on a page', argumentReader(wholeNumber(1)))
    .action((options: Options, command: Command) =>
      withSession(command, async ({ client, wire, answer, style }) => {
        const { rental, query, ...filter } = options;
        const page = await client.builds.list({
          ...filter,
          ...(rental === undefined ? {} : { rental_id: await rentalIdOf(rentalsApi(wire), rental) }),
          ...(query === undefined ? {} : { q: query }),
        });
        answer(page, ({ builds, next_before }) => {
          if (builds.length === 0 && next_before === null) return 'no builds\n';
          const more = next_before === null ? '' : style.out.dim(`more with --before ${next_before}\n`);
          return buildsTable(builds) + more;
        });
      }),
    );
}
