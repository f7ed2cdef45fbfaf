import { Command } from 'commander';
import { macTarget } from '../change-macs.js';
import { confirm } from '../confirm.js';
import { finishChanges } from '../follow-jobs.js';
import { contextOf } from '../program.js';
import { type ChangeOptions, MACS, waitOption, whenOption, yesOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

interface Options extends ChangeOptions {
  all?: boolean;
  keepCache?: boolean;
}

/** `cidermill reset [mac…]` */
export function resetCommand(): Command {
  return new Command('reset')
    .description('recreate Macs, or only empty their work folders')
    .argument('[mac...]', MACS)
    .option('--all', 'every Mac')
    .option('--keep-cache', 'only empty the work folder; caches and the machine stay')
    .addOption(whenOption())
    .addOption(waitOption())
    .addOption(yesOption())
    .action(async (macs: string[], options: Options, command: Command) => {
      const { all, keepCache, when, wait = false, yes } = options;
      const target = macTarget(macs, all);
      const request = { ...(keepCache ? { keep_cache: true } : {}), ...(when ? { when } : {}) };
      if (!keepCache) await confirm(contextOf(command), `Recreate ${target.text}? Everything on it is lost.`, yes);
      else if (when === 'now')
        await confirm(
          contextOf(command),
          `Cancel the builds that run on ${target.text} and empty the work folders?`,
          yes,
        );
      await withRenting(command, async (session) => {
        const { maintenance } = session.renting;
        const { only, macs: changed } = await target.resolve(session.renting.rentals);
        if (only !== null) {
          const result = await maintenance.reset(only, request);
          return finishChanges(session, [result], wait, ([done]) => done);
        }
        const { results } = await maintenance.resetMany(changed, request);
        return finishChanges(session, results, wait, (done) => ({ results: done }));
      });
    });
}
