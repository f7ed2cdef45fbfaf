// Changes of tiers by operators.
import { z } from 'zod';
import { operation } from '../../platform/http/operation.js';
import { count, won } from '../../platform/http/values.js';
import { AUTO, type TierChange, type Tiers } from '../app/tiers.js';
import { tierFieldsShape, tierView } from './tier-view.js';

const listOrAuto = (description: string) =>
  z
    .union([z.array(z.string()), z.literal(AUTO)])
    .optional()
    .meta({ description: `${description}; auto: those of the image` });

const input = z.object({
  tier: z.string().meta({ description: 'Id of the tier' }),
  name: z.string().optional().meta({ description: 'Name that customers see' }),
  price_won: won.optional().meta({ description: 'Price of one Mac for 24 hours, VAT included' }),
  chip: z.string().optional().meta({ description: 'E.g. "Apple M4"' }),
  cpu_cores: count.optional().meta({ description: 'Of one Mac' }),
  memory_gb: count.optional().meta({ description: 'Of one Mac' }),
  disk_gb: count.optional().meta({ description: 'Of one Mac' }),
  macos: z.string().optional().meta({ description: 'Of one Mac; auto: of the image' }),
  xcode: listOrAuto('Versions that can be selected'),
  default_xcode: z
    .string()
    .optional()
    .meta({ description: 'Default: the last of them, or the newest stable one of the image' }),
  runtimes: listOrAuto('Simulator runtimes that can be selected'),
  tools: listOrAuto('Tools that can be selected'),
  image: z
    .string()
    .optional()
    .meta({ description: 'Image from which hosts create Macs; its tag is resolved whenever the image is set' }),
  sales_open: z.boolean().optional().meta({ description: 'Whether it can be ordered' }),
  max_days: count.optional().meta({ description: 'Longest bought time of one Mac' }),
});
const output = z.object(tierFieldsShape).meta({ id: 'Tier' });

interface Deps {
  readonly tiers: Tiers;
}

export const addTier = operation<Deps>()({
  name: 'tier.add',
  summary: 'Create a tier',
  input,
  output,
  audit: { name: 'tier.create', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['invalid_request'],
  async run({ tiers }, body, { record, concerns }) {
    concerns({ target: body.tier });
    return tierView(await tiers.add(body.tier, changeOf(body), record()));
  },
});

export const editTier = operation<Deps>()({
  name: 'tier.edit',
  summary: 'Change the given values of a tier',
  input,
  output,
  audit: { name: 'tier.change', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['invalid_request', 'invalid_tier'],
  async run({ tiers }, body, { record, concerns }) {
    concerns({ target: body.tier });
    return tierView(await tiers.edit(body.tier, changeOf(body), record()));
  },
});

export const tierOperations = [addTier, editTier];

/** The other values of the tier stay unchanged. */
function changeOf(given: z.output<typeof input>): TierChange {
  const { chip, cpu_cores, memory_gb, disk_gb, macos } = given;
  return defined({
    name: given.name,
    priceWon: given.price_won,
    xcodeVersions: given.xcode,
    // If only the versions are given, the default becomes the last of them.
    defaultXcode: given.default_xcode ?? (given.xcode ? null : undefined),
    runtimes: given.runtimes,
    tools: given.tools,
    image: given.image,
    salesOpen: given.sales_open,
    maxDays: given.max_days,
    spec: defined({ chip, cpu_cores, memory_gb, disk_gb, macos }),
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the fields that have a value. */
const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
