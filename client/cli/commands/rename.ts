import { Command } from 'commander';
import { LONGEST_MAC_NAME } from '../../../shared/mac-name.js';
import { rentalIdOf } from '../../find-macs.js';
import { MAC } from '../renting-options.js';
import { withRenting } from '../renting-session.js';
import { printable } from '../terminal.js';

/** `cidermill rename <mac> <name>` */
export function renameCommand(): Command {
  return new Command('rename')
    .description('give a Mac another name')
    .argument('<mac>', MAC)
    .argument('<name>', `1 to ${LONGEST_MAC_NAME} characters; no other Mac may have this name`)
    .action((mac: string, name: string, _options: unknown, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        const id = await rentalIdOf(renting.rentals, mac);
        answer(
          await renting.rentals.rename(id, name),
          ({ rental_id, rental_name, status }) =>
            `${printable(rental_name)} (${printable(rental_id)})${status === 'unchanged' ? ' has that name already' : ''}\n`,
        );
      }),
    );
}
