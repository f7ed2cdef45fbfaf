import { Command } from 'commander';
import { macsTable, macText } from '../render-macs.js';
import { withRenting } from '../renting-session.js';

/** `cidermill macs [rental]` */
export function macsCommand(): Command {
  return new Command('macs')
    .description('list rented Macs, or show one with its setup and options')
    .argument('[rental]', 'Mac (rt_…)')
    .action((id: string | undefined, _options: unknown, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        if (id !== undefined) {
          answer(await renting.rentals.get(id), macText);
          return;
        }
        answer(await renting.rentals.list(), ({ rentals }) =>
          rentals.length === 0 ? 'no Macs\n' : macsTable(rentals),
        );
      }),
    );
}
