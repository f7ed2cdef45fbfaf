import type { Command } from 'commander';
import type { OrderRefund } from '../../../client/types.js';
import { macLabel } from '../../../shared/mac-name.js';
import { cancelOrder, planRefund, refundOrder } from '../../payments/http/operator-order-changes.js';
import type { Cli } from '../command.js';
import { addFieldOptions, fieldValues } from '../operation-options.js';

interface RefundOptions extends Readonly<Record<string, unknown>> {
  readonly dryRun?: boolean;
}

const named = { without: ['order_no'] };

export function addOrderCommands(program: Command, cli: Cli): void {
  const order = program.command('order').description('orders of customers');
  const refund = cli
    .command<RefundOptions>(
      order,
      'refund <order_no>',
      'refund an order and its extensions; its Macs end, and the time that it added is removed',
      async ({ client, show }, options, order_no = '') => {
        const { dryRun = false } = options;
        const done = dryRun
          ? await client.run(planRefund, { order_no })
          : await client.run(refundOrder, { ...fieldValues(refundOrder.input, options, named), order_no });
        show({ json: { ...done, ...(dryRun ? { dry_run: true } : {}) }, text: refundText(done, dryRun) });
        return undefined;
      },
    )
    .option('--dry-run', 'only show what would be done');
  addFieldOptions(refund, refundOrder.input, named);
  cli.operation(order, 'cancel <order_no>', cancelOrder, {
    text: ({ order_no, status }) => `${order_no} is ${status}`,
  });
}

function refundText(
  { order_no, status, refunded_won, orders, ended_rental_ids, ended_names }: OrderRefund,
  dryRun: boolean,
): string {
  const go = dryRun ? 'would go back' : 'go back';
  const each = orders.map((line) =>
    line.action === 'refund'
      ? `  ${line.order_no} (${line.kind}): ${line.refunded_won} won${line.returned_usd === null ? '' : `, as ${line.returned_usd} USD of credit`}`
      : `  ${line.order_no} (${line.kind}, unpaid): ${dryRun ? 'would be canceled' : 'canceled'}`,
  );
  const macs = ended_rental_ids.map((rentalId, at) => macLabel({ rentalId, name: ended_names[at] ?? rentalId }));
  const ends = macs.length === 0 ? [] : [`  ${dryRun ? 'would end' : 'ended'}: ${macs.join(', ')}`];
  return [`${refunded_won} won of ${order_no} ${go}; the order is ${status}`, ...each, ...ends].join('\n');
}
