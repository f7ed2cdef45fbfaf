import { Command, Option } from 'commander';
import type { OrderFilter, OrderStatus } from '../../types.js';
import { argumentReader } from '../declare-options.js';
import { wholeNumber } from '../options.js';
import { ordersTable } from '../render-orders.js';
import { withRenting } from '../renting-session.js';

const STATUSES: OrderStatus[] = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'];

/** `cidermill orders` */
export function ordersCommand(): Command {
  return new Command('orders')
    .description('list orders of Macs and of more time')
    .addOption(new Option('--status <status>', 'only orders with this status').choices(STATUSES))
    .option('--before <order>', 'the page after this order')
    .option('--limit <count>', 'orders on a page', argumentReader(wholeNumber(1)))
    .action((filter: OrderFilter, command: Command) =>
      withRenting(command, async ({ renting, answer, style }) => {
        answer(await renting.orders.list(filter), ({ orders, next_before }) => {
          if (orders.length === 0) return 'no orders\n';
          const more = next_before === null ? '' : style.out.dim(`more with --before ${next_before}\n`);
          return ordersTable(orders) + more;
        });
      }),
    );
}
