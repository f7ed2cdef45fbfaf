import { Command } from 'commander';
import type { CatalogTier } from '../../types.js';
import { formatCount, formatTable, formatWon } from '../format.js';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';

/** `cidermill catalog` */
export function catalogCommand(): Command {
  return new Command('catalog')
    .description('show tiers, prices, Xcode versions and free Macs')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ client, answer }) => {
        answer(await client.catalog(), ({ tiers }) => {
          const rows = tiers.map((tier) => [
            printable(tier.tier),
            `${formatWon(tier.price_won)} / ${tier.period_hours}h`,
            specText(tier.spec),
            printable(tier.xcode_versions.join(' ')) || '-',
            tier.sales_open ? String(tier.available_now) : 'closed',
          ]);
          return formatTable(['TIER', 'PRICE', 'MAC', 'XCODE', 'FREE'], rows);
        });
      }),
    );
}

/** What is known about a tier's Macs; a local tier has no fixed hardware. */
function specText({ chip, cpu_cores, memory_gb, disk_gb }: CatalogTier['spec']): string {
  const parts = [
    printable(chip),
    cpu_cores > 0 ? formatCount(cpu_cores, 'core') : '',
    memory_gb > 0 ? `${memory_gb} GB` : '',
    disk_gb > 0 ? `${disk_gb} GB disk` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || '-';
}
