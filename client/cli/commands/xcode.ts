import { Command } from 'commander';
import { macTarget } from '../change-macs.js';
import { confirm } from '../confirm.js';
import { finishChanges } from '../follow-jobs.js';
import { contextOf } from '../program.js';
import { type ChangeOptions, MACS, waitOption, whenOption, yesOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

interface Options extends ChangeOptions {
  all?: boolean;
}

/** `cidermill xcode <version> [mac…]` */
export function xcodeCommand(): Command {
  return new Command('xcode')
    .description('change the Xcode version of Macs')
    .argument('<version>', 'a version that cidermill macs MAC lists')
    .argument('[mac...]', MACS)
    .option('--all', 'every Mac')
    .addOption(whenOption())
    .addOption(waitOption())
    .addOption(yesOption())
    .action(async (version: string, macs: string[], options: Options, command: Command) => {
      const { all, when, wait = false, yes } = options;
      const target = macTarget(macs, all);
      const request = { version, ...(when ? { when } : {}) };
      if (when === 'now') await confirm(contextOf(command), `Cancel the build that runs on ${target.text}?`, yes);
      await withRenting(command, async (session) => {
        const { maintenance } = session.renting;
        const { only, macs: changed } = await target.resolve(session.renting.rentals);
        if (only !== null) {
          const result = await maintenance.selectXcode(only, request);
          return finishChanges(session, [result], wait, ([done]) => done);
        }
        const { results } = await maintenance.selectXcodeMany(changed, request);
        return finishChanges(session, results, wait, (done) => ({ results: done }));
      });
    });
}
