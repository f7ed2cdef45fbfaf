import { Command } from 'commander';
import type { OrderRequest } from '../../types.js';
import { EXIT_CANCELLED } from '../exit-codes.js';
import { followOrder } from '../follow-order.js';
import { unlessLeft } from '../leave.js';
import { showPayLink } from '../pay-link.js';
import { quoteText } from '../render-orders.js';
import { count, daysOption } from '../renting-options.js';
import { type RentingSession, withRenting } from '../renting-session.js';
import { UsageError } from '../usage-error.js';

interface Options {
  tier: string;
  days?: number;
  hours?: number;
  units?: number;
  start?: string;
  xcode?: string;
  name?: string[];
  quote?: boolean;
  detach?: boolean;
}

/** `cidermill rent` */
export function rentCommand(): Command {
  return new Command('rent')
    .description('order Macs; prints a link where a person pays')
    .requiredOption('--tier <tier>', 'which Macs; see cidermill catalog')
    .addOption(daysOption())
    .option('--hours <hours>', 'hours to rent, a multiple of 24', count)
    .option('--units <count>', 'number of Macs (default: 1)', count)
    .option(
      '--name <name>',
      'name of a Mac; once for each (default: Mac 1, Mac 2, ...)',
      (name, before: string[] = []) => [...before, name],
    )
    .option('--start <time>', 'when the rental starts: now (the default), or a later time, e.g. 2026-03-01T09:00:00Z')
    .option('--xcode <version>', 'Xcode version to begin with')
    .option('--quote', 'only print the price')
    .option('--detach', 'print the order number and do not wait')
    .addHelpText('after', NOTES)
    .action((options: Options, command: Command) => {
      const request = orderRequest(options);
      return withRenting(command, (session) => rent(session, request, options));
    });
}

const NOTES = `
Standard output has only the result: the ids of the Macs once they are ready (with --detach the order
number, with --quote the price). Ctrl-C ends the waiting, not the order.
Exit code: 0 ready (or reserved, if the start is in the future); 124 not paid in time; 130 canceled by a person, or
left with Ctrl-C; 70 paid, but no Mac could be provided (refunded).`;

async function rent(session: RentingSession, request: OrderRequest, options: Options): Promise<void> {
  const { context, renting, note, answer, json } = session;
  const { tier, hours, units = 1 } = request;
  const quote = await renting.orders.quote({ tier, hours, units });
  if (options.quote) {
    answer(quote, quoteText);
    return;
  }
  note(quoteText(quote).trimEnd());
  // Ctrl-C is held until the order's number is known, because an unknown order would reserve Macs.
  let left = false;
  const order = await unlessLeft(context, async (signal) => {
    const created = await renting.orders.create(request);
    left = signal.aborted;
    return created;
  });
  if (order === null) throw new DOMException('stopped', 'AbortError');
  showPayLink(session, order);
  if (options.detach || left) {
    answer(order, ({ order_no }) => `${order_no}\n`);
    if (left) context.exitCode = EXIT_CANCELLED;
    return;
  }
  const followed = await followOrder(session, order);
  if (followed === null) return;
  const ids = followed.macs.map(({ rental_id }) => `${rental_id}\n`).join('');
  if (json || context.exitCode === 0) answer({ ...followed.order, macs: followed.macs }, () => ids);
}

/** @throws UsageError unless there is one of --days and --hours */
function orderRequest({ tier, days, hours, units, start, xcode, name: names }: Options): OrderRequest {
  if ((days === undefined) === (hours === undefined)) throw new UsageError('give one of --days and --hours');
  return {
    tier,
    hours: hours ?? (days ?? 0) * 24,
    ...(units === undefined ? {} : { units }),
    ...(names === undefined ? {} : { names }),
    ...(start === undefined ? {} : { start }),
    ...(xcode === undefined ? {} : { setup: { xcode } }),
  };
}
