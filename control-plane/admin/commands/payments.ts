// `cidermill admin payment list` and `payment settle`.
import { type Command, InvalidArgumentError } from 'commander';
import type { ManualSettlement } from '../../payments/domain/manual-settlement.js';
import { type Action, subcommand, table } from '../command.js';

const LONGEST_NOTE = 500;

export function addPaymentCommands(program: Command, action: Action): void {
  const payment = program.command('payment').description('payments and refunds at the payment provider');

  subcommand(payment, 'list', 'payments and refunds that an operator has to settle with the provider')
    .option('--all', 'settled ones, too, with their notes')
    .action(
      action<{ all?: boolean }>(async ({ manualSettlements }, { all = false }) => {
        const found = await (all ? manualSettlements.all() : manualSettlements.open());
        return { json: { payments: found.map(view) }, text: table(found.map(row)) };
      }),
    );

  subcommand(
    payment,
    'settle <id>',
    'mark a payment (its order number) or a refused refund (its id) as settled with the provider',
  )
    .requiredOption('--note <text>', 'how it was settled', note)
    .action(
      action<{ note: string }>(async ({ manualSettlements, operator }, { note }, id = '') => {
        const { orderNo, kind } = await manualSettlements.settle(id, operator, note);
        return { json: { id, kind, order_no: orderNo, note }, text: `${id} is settled` };
      }),
    );
}

function note(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > LONGEST_NOTE) {
    throw new InvalidArgumentError(`expected 1 to ${LONGEST_NOTE} characters.`);
  }
  return trimmed;
}

const timeText = (at: number | null) => (at === null ? null : new Date(at).toISOString());

const view = (one: ManualSettlement) => ({
  id: one.id,
  kind: one.kind,
  order_no: one.orderNo,
  amount_won: one.amountWon,
  created_at: timeText(one.createdAt),
  settled_at: timeText(one.settledAt),
  settled_by: one.settledBy,
  note: one.note,
});

const row = (one: ManualSettlement): string[] => [
  one.id,
  one.kind.replace('_', ' '),
  one.orderNo,
  one.amountWon === null ? 'the whole charge' : `${one.amountWon} won`,
  `since ${timeText(one.createdAt)}`,
  one.settledAt === null
    ? 'open'
    : `settled ${timeText(one.settledAt)} by ${one.settledBy ?? 'a later refund'}${one.note === null ? '' : `: ${one.note}`}`,
];
