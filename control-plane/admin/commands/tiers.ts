import type { Command } from 'commander';
import { countOf } from '../../../shared/count.js';
import { AUTO, type TierChange } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { FromImage } from '../../macs/domain/tier-image.js';
import { tierView } from '../../macs/http/tier-view.js';
import { type Action, list, subcommand, table, trueOrFalse, wholeNumber } from '../command.js';

interface TierOptions {
  tier: string;
  name?: string;
  priceWon?: number;
  chip?: string;
  cpuCores?: number;
  memoryGb?: number;
  diskGb?: number;
  macos?: string;
  xcode?: string[] | typeof AUTO;
  defaultXcode?: string;
  runtimes?: string[] | typeof AUTO;
  tools?: string[] | typeof AUTO;
  image?: string;
  salesOpen?: boolean;
  maxDays?: number;
}

export function addTierCommands(program: Command, action: Action): void {
  const tier = program.command('tier').description('what Macs are rented as');

  withTierOptions(subcommand(tier, 'add', 'make a tier')).action(
    action<TierOptions>(async ({ tiers }, options) => shown(await tiers.add(options.tier, change(options)))),
  );
  withTierOptions(subcommand(tier, 'edit', 'change what is given of a tier')).action(
    action<TierOptions>(async ({ tiers }, options) => shown(await tiers.edit(options.tier, change(options)))),
  );
  subcommand(tier, 'show <tier>', 'one tier').action(
    action(async ({ tiers }, _options, id = '') => {
      const one = await tiers.show(id);
      return { json: tierView(one), text: details(one) };
    }),
  );
  subcommand(tier, 'list', 'all tiers, cheapest first').action(
    action(async ({ tiers }) => {
      const all = await tiers.list();
      return {
        json: { tiers: all.map(tierView) },
        text: table(
          all.map((one) => [
            one.tier,
            `${one.priceWon} won`,
            one.salesOpen ? 'open' : 'closed',
            one.xcodeVersions.join(',') || 'no Xcode',
            one.name,
            one.image === null ? '' : `${one.image} ${digestText(one)}`,
          ]),
        ),
      };
    }),
  );
}

function withTierOptions(command: Command): Command {
  return command
    .requiredOption('--tier <id>', 'id of the tier')
    .option('--name <name>', 'as customers read it')
    .option('--price-won <won>', 'of one Mac for 24 hours, VAT included', wholeNumber)
    .option('--chip <name>', 'e.g. "Apple M4"')
    .option('--cpu-cores <n>', 'of one Mac', wholeNumber)
    .option('--memory-gb <n>', 'of one Mac', wholeNumber)
    .option('--disk-gb <n>', 'of one Mac', wholeNumber)
    .option('--macos <version>', 'of one Mac; auto: of the image')
    .option('--xcode <versions>', 'that can be selected, separated by commas; auto: those of the image', listOrAuto)
    .option('--default-xcode <version>', 'otherwise the last of them, or the newest stable one of the image')
    .option('--runtimes <names>', 'simulator runtimes that can be selected; auto: those of the image', listOrAuto)
    .option('--tools <names>', 'that can be selected; auto: those of the image', listOrAuto)
    .option('--image <name>', 'that hosts make Macs of; its tag is resolved once, and again when it is set again')
    .option('--sales-open <true|false>', 'whether it can be ordered', trueOrFalse)
    .option('--max-days <n>', 'longest bought time of one Mac', wholeNumber);
}

const listOrAuto = (text: string): string[] | typeof AUTO => (text === AUTO ? AUTO : list(text));

/** Returns a change of the given options only; the other fields of the tier stay unchanged. */
function change(options: TierOptions): TierChange {
  const given = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
      [K in keyof T]?: NonNullable<T[K]>;
    };
  return {
    ...given({
      name: options.name,
      priceWon: options.priceWon,
      xcodeVersions: options.xcode,
      // If only the versions are given, the default becomes the last of them.
      defaultXcode: options.defaultXcode,
      runtimes: options.runtimes,
      tools: options.tools,
      image: options.image,
      salesOpen: options.salesOpen,
      maxDays: options.maxDays,
    }),
    ...(options.xcode && options.defaultXcode === undefined ? { defaultXcode: null } : {}),
    spec: given({
      chip: options.chip,
      cpu_cores: options.cpuCores,
      memory_gb: options.memoryGb,
      disk_gb: options.diskGb,
      macos: options.macos,
    }),
  };
}

function shown(tier: Tier) {
  return { json: tierView(tier), text: `${tier.tier}: ${tier.name}, ${tier.priceWon} won` };
}

const digestText = ({ imageDigest }: Tier) => imageDigest ?? 'not resolved yet';

function details(tier: Tier): string {
  const { spec } = tier;
  const rows: [name: string, value: string, from: FromImage | null][] = [
    ['name', tier.name, null],
    ['price', `${tier.priceWon} won`, null],
    ['sales', tier.salesOpen ? 'open' : 'closed', null],
    ['Mac', specText(spec), null],
    ['image', tier.image ?? 'none', null],
    ['digest', tier.image === null ? '' : digestText(tier), null],
    ['macOS', spec.macos || 'not set', 'macos'],
    ['Xcode', tier.xcodeVersions.join(', '), 'xcodes'],
    ['default Xcode', tier.defaultXcode ?? '', 'default_xcode'],
    ['runtimes', tier.runtimes.join(', '), 'runtimes'],
    ['tools', tier.tools.join(', '), 'tools'],
  ];
  const source = (from: FromImage | null) =>
    from !== null && tier.image !== null && tier.fromImage.includes(from) ? 'of the image' : '';
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
