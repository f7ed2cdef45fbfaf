import type { Command } from 'commander';
import { listRentals } from '../../../client/operations/operator.js';
import type { GrantedRental } from '../../../client/types.js';
import { macLabel } from '../../../shared/mac-name.js';
import { endRental, grantRentals } from '../../renting/http/operator-rental-changes.js';
import { type Cli, everyPage, table } from '../command.js';

export function addRentalCommands(program: Command, cli: Cli): void {
  const rental = program.command('rental').description('Macs that organizations have');
  cli.operation(rental, 'grant', grantRentals, { text: ({ rentals }) => lines(rentals) });
  cli.operation(rental, 'end <rental_id>', endRental, {
    description: `${endRental.summary}. By id, or by name if no other organization has a Mac of this name`,
    text: ({ rental_id, name }) => `${macLabel({ rentalId: rental_id, name })} ends now`,
  });
  cli
    .command<{ org: string }>(
      rental,
      'list',
      'rentals of an organization that have not ended',
      async ({ client, show }, { org }) => {
        const all = await everyPage((cursor) => client.read(listRentals, org, { cursor }));
        const rentals = all.map(({ host, ...one }) => ({ ...one, host_id: host.host_id }));
        show({ json: { rentals }, text: lines(rentals) });
        return undefined;
      },
    )
    .requiredOption('--org <org>', 'organization: org_…, slug or number');
}

const lines = (macs: readonly Pick<GrantedRental, 'rental_id' | 'name' | 'tier' | 'host_id' | 'state' | 'ends_at'>[]) =>
  table(macs.map((mac) => [mac.name, mac.rental_id, mac.tier, mac.host_id, mac.state, mac.ends_at ?? 'no end']));
