import { Command } from 'commander';
import { rentalIdOf } from '../../find-macs.js';
import type { SetupChange } from '../../types.js';
import { confirm } from '../confirm.js';
import { finishChanges } from '../follow-jobs.js';
import { contextOf } from '../program.js';
import { macText } from '../render-macs.js';
import { type ChangeOptions, MAC, names, waitOption, whenOption, yesOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';
import { UsageError } from '../usage-error.js';

interface Options extends ChangeOptions {
  xcode?: string;
  runtimes?: string[];
  tools?: string[];
  /** False with `--no-keep-cache`. */
  keepCache: boolean;
}

/** `cidermill setup <mac>` */
export function setupCommand(): Command {
  return new Command('setup')
    .description("change a Mac's Xcode, simulator runtimes and tools; without a change, show them")
    .argument('<mac>', MAC)
    .option('--xcode <version>', 'Xcode version')
    .option('--runtimes <names>', 'exactly these simulator runtimes, separated by commas', names)
    .option('--tools <names>', 'exactly these tools, separated by commas', names)
    .option('--no-keep-cache', 'recreate the machine with the change; everything on it is lost')
    .addOption(whenOption())
    .addOption(waitOption())
    .addOption(yesOption())
    .action(async (mac: string, options: Options, command: Command) => {
      const { xcode, runtimes, tools, keepCache, when, wait = false, yes } = options;
      const change: SetupChange = {
        ...(xcode === undefined ? {} : { xcode }),
        ...(runtimes === undefined ? {} : { runtimes }),
        ...(tools === undefined ? {} : { tools }),
      };
      const changes = Object.keys(change).length > 0;
      if (!changes && (when || wait || !keepCache)) {
        throw new UsageError(
          `give --xcode, --runtimes or --tools${keepCache ? '' : '; to recreate a machine as it is, use `cidermill reset`'}`,
        );
      }
      if (!keepCache) await confirm(contextOf(command), `Recreate ${mac}? Everything on it is lost.`, yes);
      else if (when === 'now') await confirm(contextOf(command), `Cancel the build that runs on ${mac}?`, yes);
      await withRenting(command, async (session) => {
        const { rentals } = session.renting;
        const id = await rentalIdOf(rentals, mac);
        if (!changes) return session.answer(await rentals.get(id), macText);
        const result = await rentals.setUp(id, { ...change, keep_cache: keepCache, ...(when ? { when } : {}) });
        return finishChanges(session, [result], wait, ([done]) => done);
      });
    });
}
