import type { Command } from 'commander';
import { type Action, subcommand } from '../command.js';

export function addOrderCommands(program: Command, action: Action): void {
  const order = program.command('order').description('what customers ordered');

  subcommand(
    order,
    'refund <order-no>',
    'give all its money back; its Macs end, its added time is taken off',
  ).action(
    action(async ({ orderRefunds }, _options, orderNo = '') => {
      const { status, amountWon } = await orderRefunds.refund(orderNo);
      const json = { order_no: orderNo, status, refunded_won: amountWon };
      return { json, text: `${amountWon} won of ${orderNo} go back; the order is ${status}` };
    }),
  );
}
