import { Command } from 'commander';
import { formatTable, formatWon } from '../format.js';
import { withSession } from '../session.js';

/** `cidermill catalog` */
export function catalogCommand(): Command {
  return new Command('catalog')
    .description('show tiers, prices, Xcode versions and free Macs')
    .action((_options: unknown, command: Command) =>
      withSession(command.optsWithGlobals(), async ({ client, answer }) => {
        answer(await client.catalog(), ({ tiers }) => {
          const rows = tiers.map((tier) => [
            tier.tier,
            `${formatWon(tier.price_won)} / ${tier.period_hours}h`,
            `${tier.spec.chip}, ${tier.spec.cpu_cores} cores, ${tier.spec.memory_gb} GB`,
            tier.xcode_versions.join(' ') || '-',
            tier.sales_open ? String(tier.available_now) : 'closed',
          ]);
          return formatTable(['TIER', 'PRICE', 'MAC', 'XCODE', 'FREE'], rows);
        });
      }),
    );
}
