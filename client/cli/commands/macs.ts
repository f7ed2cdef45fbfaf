import { Command } from 'commander';
import { rentalIdOf } from '../../find-macs.js';
import { macsTable, macText } from '../render-macs.js';
import { MAC } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

/** `cidermill macs [mac]` */
export function macsCommand(): Command {
  return new Command('macs')
    .description('list rented Macs, or show one with its setup and options')
    .argument('[mac]', MAC)
    .action((mac: string | undefined, _options: unknown, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        if (mac !== undefined) {
          answer(await renting.rentals.get(await rentalIdOf(renting.rentals, mac)), macText);
          return;
        }
        answer(await renting.rentals.list(), ({ rentals }) =>
          rentals.length === 0 ? 'no Macs\n' : macsTable(rentals),
        );
      }),
    );
}
