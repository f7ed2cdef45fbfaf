// `cidermill admin credit show` and `credit adjust`.
import { type Command, InvalidArgumentError } from 'commander';
import { type CreditEntry, usdText } from '../../payments/domain/credit.js';
import { type Action, subcommand, table } from '../command.js';
import type { AdminService } from '../service.js';

const SHOWN = 10;
/** A million dollars. */
const LARGEST = 1_000_000_000_000;

export function addCreditCommands(program: Command, action: Action): void {
  const credit = program.command('credit').description('credit of accounts, in US dollars');

  subcommand(credit, 'show <org>', 'the balance of an account, and its latest entries').action(
    action(async (service, _options, text = '') => {
      const { id, orgId } = await service.organizations.find(text);
      return shown(service, id, orgId);
    }),
  );

  subcommand(credit, 'adjust <org>', 'add credit, or take what was spent')
    .requiredOption('--micro-usd <n>', 'millionths of a dollar; negative: taken', amount)
    .requiredOption('--reason <text>', 'shown to the account', reason)
    .action(
      action<{ microUsd: number; reason: string }>(async (service, { microUsd, reason }, text = '') => {
        const { id, orgId } = await service.organizations.find(text);
        await service.credit.adjust(id, microUsd, reason);
        return shown(service, id, orgId);
      }),
    );
}

function amount(text: string): number {
  const n = Number(text);
  if (!/^-?\d{1,13}$/.test(text) || n === 0 || Math.abs(n) > LARGEST) {
    throw new InvalidArgumentError(`expected a whole number other than 0, at most ${LARGEST}.`);
  }
  return n;
}

function reason(text: string): string {
  if (text.trim() === '' || text.length > 200) throw new InvalidArgumentError('expected 1 to 200 characters.');
  return text.trim();
}

async function shown({ credit }: AdminService, accountId: number, orgId: string) {
  const { balance, reserved } = await credit.balance(accountId);
  const entries = await credit.entries(accountId, { before: null, limit: SHOWN });
  const being = reserved === 0 ? '' : `, of which ${usdText(reserved)} is being withdrawn`;
  return {
    json: {
      org_id: orgId,
      balance_micro_usd: balance,
      balance_usd: usdText(balance),
      reserved_micro_usd: reserved,
      entries: entries.map((entry) => ({
        at: new Date(entry.at).toISOString(),
        kind: entry.kind,
        micro_usd: entry.microUsd,
        order_id: entry.orderId,
        krw: entry.krw,
        reason: entry.reason,
      })),
    },
    text: [`${orgId} has ${usdText(balance)} USD${being}`, table(entries.map(row))].join('\n').trimEnd(),
  };
}

const row = ({ at, kind, microUsd, orderId, krw, reason }: CreditEntry): string[] => [
  new Date(at).toISOString(),
  kind,
  usdText(microUsd),
  krw === null ? '' : `${krw} won`,
  orderId ?? reason ?? '',
];
