import type { Command } from 'commander';
import type { OrderRefund } from '../../payments/app/order-refunds.js';
import { type Action, subcommand, wholeNumber } from '../command.js';

interface RefundOptions {
  readonly dryRun?: boolean;
  readonly expectWon?: number;
}

export function addOrderCommands(program: Command, action: Action): void {
  const order = program.command('order').description('what customers ordered');

  subcommand(
    order,
    'refund <order-no>',
    'give all its money back, and that of its extensions; its Macs end, its added time is taken off',
  )
    .option('--dry-run', 'only say what would be done')
    .option('--expect-won <won>', 'refuse if another sum would go back', wholeNumber)
    .action(
      action<RefundOptions>(async ({ orderRefunds }, { dryRun = false, expectWon }, orderNo = '') => {
        const done = await orderRefunds.refund(orderNo, { dryRun, expectWon });
        return {
          json: { ...refundView(done), ...(dryRun ? { dry_run: true } : {}) },
          text: refundText(done, dryRun),
        };
      }),
    );

  subcommand(order, 'cancel <order-no>', 'cancel an order that nobody has paid; what it holds is free again').action(
    action(async ({ orderRefunds }, _options, orderNo = '') => {
      const { status } = await orderRefunds.cancel(orderNo);
      return { json: { order_no: orderNo, status }, text: `${orderNo} is ${status}` };
    }),
  );
}

const totalOf = ({ lines }: OrderRefund) => lines.reduce((sum, line) => sum + line.amountWon, 0);

function refundView(done: OrderRefund) {
  const { order, lines, endedRentalIds } = done;
  return {
    order_no: order.orderNo,
    status: order.status,
    refunded_won: totalOf(done),
    orders: lines.map((line) => ({
      order_no: line.order.orderNo,
      kind: line.order.kind,
      action: line.action,
      refunded_won: line.amountWon,
    })),
    ended_rental_ids: endedRentalIds,
  };
}

function refundText(done: OrderRefund, dryRun: boolean): string {
  const { order, lines, endedRentalIds } = done;
  const go = dryRun ? 'would go back' : 'go back';
  const each = lines.map((line) =>
    line.action === 'refund'
      ? `  ${line.order.orderNo} (${line.order.kind}): ${line.amountWon} won`
      : `  ${line.order.orderNo} (${line.order.kind}, unpaid): ${dryRun ? 'would be canceled' : 'canceled'}`,
  );
  const ends = endedRentalIds.length === 0 ? [] : [`  ${dryRun ? 'would end' : 'ended'}: ${endedRentalIds.join(', ')}`];
  const total = `${totalOf(done)} won of ${order.orderNo} ${go}; the order is ${order.status}`;
  return [total, ...each, ...ends].join('\n');
}
