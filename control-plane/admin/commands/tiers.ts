import type { Command } from 'commander';
import { listTiers } from '../../../client/operations/operator.js';
import type { OperatorTier, Tier } from '../../../client/types.js';
import { countOf } from '../../../shared/count.js';
import { addTier, editTier } from '../../macs/http/operator-tier-changes.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Cli, table } from '../command.js';
import type { OperatorClient } from '../operator-client.js';

export function addTierCommands(program: Command, cli: Cli): void {
  const tier = program.command('tier').description('kinds of Macs: price, image, Xcode versions');
  const text = (one: Tier) => `${one.tier}: ${one.name}, ${one.price_won} won`;
  cli.operation(tier, 'add', addTier, { text });
  cli.operation(tier, 'edit', editTier, { text });
  cli.command(tier, 'show <tier>', 'one tier', async ({ client, show }, _options, id) => {
    const one = (await tiersOf(client)).find((each) => each.tier === id);
    if (!one) throw new ApiError('invalid_tier', { message: `No tier ${id}.` });
    show({ json: one, text: details(one) });
    return undefined;
  });
  cli.command(tier, 'list', 'all tiers, cheapest first', async ({ client, show }) => {
    const tiers = await tiersOf(client);
    show({ json: { tiers }, text: table(tiers.map(row)) });
    return undefined;
  });
}

const tiersOf = async (client: OperatorClient) => (await client.read(listTiers)).tiers;

const row = (one: OperatorTier): string[] => [
  one.tier,
  `${one.price_won} won`,
  one.sales_open ? 'open' : 'closed',
  one.xcode_versions.join(',') || 'no Xcode',
  one.name,
  one.image === null ? '' : `${one.image} ${digestText(one)}`,
];

const digestText = ({ image_digest }: Tier) => image_digest ?? 'not resolved yet';

function details(tier: Tier): string {
  const { spec } = tier;
  const rows: [name: string, value: string, from: string | null][] = [
    ['name', tier.name, null],
    ['price', `${tier.price_won} won`, null],
    ['sales', tier.sales_open ? 'open' : 'closed', null],
    ['Mac', specText(spec), null],
    ['image', tier.image ?? 'none', null],
    ['digest', tier.image === null ? '' : digestText(tier), null],
    ['macOS', spec.macos || 'not set', 'macos'],
    ['Xcode', tier.xcode_versions.join(', '), 'xcodes'],
    ['default Xcode', tier.default_xcode ?? '', 'default_xcode'],
    ['runtimes', tier.runtimes.join(', '), 'runtimes'],
    ['tools', tier.tools.join(', '), 'tools'],
  ];
  const source = (from: string | null) =>
    from !== null && tier.image !== null && tier.from_image.includes(from) ? 'of the image' : '';
  return table(rows.map(([name, value, from]) => [name, value, source(from)]));
}

/** @example 'Apple M4, 8 cores, 16 GB of memory, disk 100 GB' */
function specText({ chip, cpu_cores, memory_gb, disk_gb }: Tier['spec']): string {
  const parts = [
    chip,
    cpu_cores && countOf(cpu_cores, 'core'),
    memory_gb && `${memory_gb} GB of memory`,
    disk_gb && `disk ${disk_gb} GB`,
  ];
  return parts.filter(Boolean).join(', ') || 'not set';
}
