import { Command } from 'commander';
import { rentalIdsOf } from '../../find-macs.js';
import { followOrder } from '../follow-order.js';
import { showPayLink } from '../pay-link.js';
import { extensionQuoteText, multiQuoteText } from '../render-orders.js';
import { daysOption, MACS, waitOption } from '../renting-options.js';
import { type RentingSession, withRenting } from '../renting-session.js';

interface Options {
  days: number;
  quote?: boolean;
  wait?: boolean;
}

/** `cidermill extend <mac…>` */
export function extendCommand(): Command {
  return new Command('extend')
    .description('order more time for Macs; prints a link where a person pays')
    .argument('<mac...>', MACS)
    .addOption(daysOption().makeOptionMandatory())
    .option('--quote', 'only print the price')
    .addOption(waitOption())
    .addHelpText('after', '\nWith --wait the exit code is that of cidermill rent.')
    .action((macs: string[], options: Options, command: Command) =>
      withRenting(command, async (session) => {
        const ids = await rentalIdsOf(session.renting.rentals, macs);
        await (options.quote ? quote(session, ids, options.days * 24) : extend(session, ids, options));
      }),
    );
}

async function quote({ renting, answer }: RentingSession, ids: string[], hours: number): Promise<void> {
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) {
    answer(await renting.rentals.quoteExtension(id, hours), extensionQuoteText);
  } else {
    answer(await renting.rentals.quoteExtensions(ids, hours), multiQuoteText);
  }
}

async function extend(session: RentingSession, ids: string[], { days, wait }: Options): Promise<void> {
  const { context, renting, answer, json } = session;
  const [id, ...others] = ids;
  const order =
    id !== undefined && others.length === 0
      ? await renting.rentals.extend(id, days * 24)
      : await renting.rentals.extendAll(ids, days * 24);
  showPayLink(session, order);
  if (!wait) {
    answer(order, ({ order_no }) => `${order_no}\n`);
    return;
  }
  const followed = await followOrder(session, order);
  if (followed === null) return;
  const lines = followed.macs.map(({ rental_id }) => `${rental_id}\n`).join('');
  if (json || context.exitCode === 0) answer({ ...followed.order, macs: followed.macs }, () => lines);
}
