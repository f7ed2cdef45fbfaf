import type { Command } from 'commander';
import { getCredit } from '../../../client/operations/operator.js';
import type { OperatorCredit } from '../../../client/types.js';
import { adjustCredit } from '../../payments/http/operator-credit.js';
import { usdText } from '../../platform/domain/usd-text.js';
import { type Cli, table } from '../command.js';

export function addCreditCommands(program: Command, cli: Cli): void {
  const credit = program.command('credit').description('credit of organizations, in US dollars');
  cli.command(
    credit,
    'show <org>',
    'the balance of an organization, and its latest entries',
    async ({ client, show }, _options, org = '') => {
      const one = await client.read(getCredit, org);
      show({ json: one, text: textOf(one) });
      return undefined;
    },
  );
  cli.operation(credit, 'adjust <org>', adjustCredit, { text: textOf });
}

function textOf({ org_id, balance_usd, reserved_micro_usd, entries }: OperatorCredit): string {
  const being = reserved_micro_usd === 0 ? '' : `, of which ${usdText(reserved_micro_usd)} is being withdrawn`;
  const rows = entries.map(({ at, kind, micro_usd, order_id, krw, reason }) => [
    at,
    kind,
    usdText(micro_usd),
    krw === null ? '' : `${krw} won`,
    order_id ?? reason ?? '',
  ]);
  return [`${org_id} has ${balance_usd} USD${being}`, table(rows)].join('\n').trimEnd();
}
