import type { Command } from 'commander';
import { listSettlements } from '../../../client/operations/operator.js';
import type { Settlements } from '../../../client/types.js';
import { settlePayment } from '../../payments/http/operator-settlements.js';
import { type Cli, table } from '../command.js';

export function addPaymentCommands(program: Command, cli: Cli): void {
  const payment = program.command('payment').description('payments and refunds at the payment provider');
  cli
    .command<{ all?: boolean }>(
      payment,
      'list',
      'payments and refunds that an operator has to settle with the provider',
      async ({ client, show }, { all }) => {
        const { payments } = await client.read(listSettlements, { all: all ? 'true' : null });
        show({ json: { payments }, text: table(payments.map(row)) });
        return undefined;
      },
    )
    .option('--all', 'also settled ones, with their notes');
  cli.operation(payment, 'settle <id>', settlePayment, { text: ({ id }) => `${id} is settled` });
}

const row = (one: Settlements['payments'][number]): string[] => [
  one.id,
  one.kind.replace('_', ' '),
  one.order_no,
  one.amount_won === null ? 'the whole charge' : `${one.amount_won} won`,
  `since ${one.created_at}`,
  one.settled_at === null
    ? 'open'
    : `settled ${one.settled_at} by ${one.settled_by ?? 'a later refund'}${one.note === null ? '' : `: ${one.note}`}`,
];
