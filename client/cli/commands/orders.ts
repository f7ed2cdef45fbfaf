import { Command, Option } from 'commander';
import type { OrderStatus } from '../../renting-types.js';
import { ordersTable } from '../render-orders.js';
import { withRenting } from '../renting-session.js';

const STATUSES: OrderStatus[] = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'];

/** `cidermill orders` */
export function ordersCommand(): Command {
  return new Command('orders')
    .description('list orders of Macs and of more time')
    .addOption(new Option('--status <status>', 'only orders with this status').choices(STATUSES))
    .action((filter: { status?: OrderStatus }, command: Command) =>
      withRenting(command.optsWithGlobals(), async ({ renting, answer }) => {
        answer(await renting.orders.list(filter), ({ orders }) =>
          orders.length === 0 ? 'no orders\n' : ordersTable(orders),
        );
      }),
    );
}
