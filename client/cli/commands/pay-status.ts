import { Command } from 'commander';
import { followOrder } from '../follow-order.js';
import { showPayLink } from '../pay-link.js';
import { orderText } from '../render-orders.js';
import { waitOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

/** `cidermill pay-status <order>` */
export function payStatusCommand(): Command {
  return new Command('pay-status')
    .description('show the status of an order and its Macs')
    .argument('<order>', 'order number (RT-…)')
    .addOption(waitOption())
    .addHelpText('after', '\nWith --wait the exit code is that of cidermill rent.')
    .action((orderNo: string, { wait }: { wait?: boolean }, command: Command) =>
      withRenting(command, async (session) => {
        const order = await session.renting.orders.get(orderNo);
        if (!wait) {
          session.answer(order, orderText);
          return;
        }
        if (order.status === 'awaiting_payment') showPayLink(session, order);
        const followed = await followOrder(session, order);
        if (followed) session.answer({ ...followed.order, macs: followed.macs }, () => orderText(followed.order));
      }),
    );
}
