import { Command } from 'commander';
import { macTarget } from '../change-macs.js';
import { confirm } from '../confirm.js';
import { finishChanges } from '../follow-jobs.js';
import { contextOf } from '../program.js';
import { type ChangeOptions, waitOption, whenOption, yesOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

interface Options extends ChangeOptions {
  all?: boolean;
}

/** `cidermill xcode <version> [rental…]` */
export function xcodeCommand(): Command {
  return new Command('xcode')
    .description('change the Xcode version of Macs')
    .argument('<version>', 'a version that cidermill macs RENTAL lists')
    .argument('[rental...]', 'Macs (rt_…)')
    .option('--all', 'every Mac')
    .addOption(whenOption())
    .addOption(waitOption())
    .addOption(yesOption())
    .action(async (version: string, ids: string[], options: Options, command: Command) => {
      const { all, when, wait = false, yes } = options;
      const target = macTarget(ids, all);
      const request = { version, ...(when ? { when } : {}) };
      if (when === 'now') await confirm(contextOf(command), `Cancel the build that runs on ${target.text}?`, yes);
      await withRenting(command, async (session) => {
        const { maintenance } = session.renting;
        if (target.only !== null) {
          const result = await maintenance.selectXcode(target.only, request);
          return finishChanges(session, [result], wait, ([done]) => done);
        }
        const { results } = await maintenance.selectXcodeMany(target.macs, request);
        return finishChanges(session, results, wait, (done) => ({ results: done }));
      });
    });
}
