// Tiers, as operators manage them.

import type { Clock } from '../../../shared/clock.js';
import { isVirtual } from '../../../shared/drivers.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { IMAGE_NAME } from '../../../shared/protocol/kinds.js';
import { listHosts } from '../../hosts/app/hosts.js';
import { imagesChanged } from '../../hosts/app/slots.js';
import type { Host } from '../../hosts/domain/host.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Tier } from '../domain/tier.js';
import { defaultXcodeOf, type FromImage, fromImage, imageSet, withOffers } from '../domain/tier-image.js';
import { forgetEndedPulls } from '../store/image-pulls.js';
import { findOffers } from '../store/images.js';
import * as rows from '../store/tiers.js';

export { findTier, listTiers } from '../store/tiers.js';

/** In a change: the value comes from the tier's image. */
export const AUTO = 'auto';
type Auto = typeof AUTO;

type Given = 'tier' | 'spec' | 'xcodeVersions' | 'runtimes' | 'tools';
type OfImage = 'imageDigest' | 'replacedDigest' | 'fromImage';

/** Absent fields are left unchanged. A new tier takes absent fields from its image. */
export type TierChange = Partial<Omit<Tier, Given | OfImage>> & {
  readonly spec?: Partial<Tier['spec']>;
  readonly xcodeVersions?: readonly string[] | Auto;
  readonly runtimes?: readonly string[] | Auto;
  readonly tools?: readonly string[] | Auto;
};

export type Tiers = ReturnType<typeof createTiers>;

const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function createTiers(deps: { store: Store; clock: Clock; wake: Pick<Wake, 'wake'>; limits: Limits }) {
  const { store, clock, wake, limits } = deps;
  const empty = (tier: string): Tier => ({
    tier,
    name: tier,
    priceWon: 0,
    spec: { chip: '', cpu_cores: 0, memory_gb: 0, disk_gb: 0, macos: '' },
    xcodeVersions: [],
    defaultXcode: null,
    runtimes: [],
    tools: [],
    image: null,
    imageDigest: null,
    replacedDigest: null,
    fromImage,
    salesOpen: true,
    maxDays: limits.max_rental_days,
  });
  const put = async (tx: Transaction, before: Tier, change: TierChange, done?: InTransaction<Tier>) => {
    const asked = checked(changed(before, change));
    if (change.spec !== undefined) checkRoom(asked.tier, change.spec, await listHosts(tx));
    const digest = asked.imageDigest;
    const offers = digest === null ? null : await findOffers(tx, asked.tier, digest);
    const tier = offers ? withOffers(asked, offers) : asked;
    await rows.putTier(tx, tier, clock.now());
    if (change.image !== undefined) {
      await imagesChanged(tx, { tier: tier.tier });
      // They were of the image before.
      await forgetEndedPulls(tx, tier.tier);
    }
    tx.onCommit(() => {
      // Its sales may have been opened.
      wake.wake('availability');
      wake.wake('images');
      if (change.image !== undefined) wake.wake('host');
    });
    await done?.(tx, tier);
    return tier;
  };
  return {
    /** Creates a tier. Throws invalid_request if the id is taken or a value is invalid. */
    async add(tier: string, values: TierChange, done?: InTransaction<Tier>): Promise<Tier> {
      if (!ID.test(tier)) throw invalid('tier', fieldProblem('invalid_tier_id'));
      return store.transaction(async (tx) => {
        const present = await rows.listTiers(tx);
        if (present.some((one) => one.tier === tier)) {
          throw invalid('tier', fieldProblem('taken', { value: tier }));
        }
        if (present.length >= limits.tiers) {
          throw invalid('tier', fieldProblem('too_many_tiers', { most: limits.tiers }));
        }
        return put(tx, empty(tier), values, done);
      });
    },
    /** Changes the given fields. Throws invalid_tier if there is no such tier. */
    edit: (tier: string, values: TierChange, done?: InTransaction<Tier>): Promise<Tier> =>
      store.transaction(async (tx) => put(tx, await existing(tx, tier), values, done)),
    /** Throws invalid_tier if there is no such tier. */
    show: (tier: string): Promise<Tier> => existing(store, tier),
    list: (): Promise<Tier[]> => rows.listTiers(store),
  };
}

async function existing(q: Queries, tier: string): Promise<Tier> {
  const present = await rows.findTier(q, tier);
  if (!present) throw new ApiError('invalid_tier', { message: `There is no tier ${tier}.` });
  return present;
}

/** Returns the tier with the given values; `auto` keeps the present one until the image's is known. */
function changed(before: Tier, { spec, ...change }: TierChange): Tier {
  const given: Record<FromImage, unknown> = {
    xcodes: change.xcodeVersions,
    default_xcode: change.defaultXcode === null ? AUTO : change.defaultXcode,
    runtimes: change.runtimes,
    tools: change.tools,
    macos: spec?.macos,
  };
  const value = (asked: readonly string[] | Auto | undefined, present: readonly string[]) =>
    asked === undefined || asked === AUTO ? present : asked;
  const macos = spec?.macos === AUTO ? before.spec.macos : (spec?.macos ?? before.spec.macos);
  return {
    ...before,
    ...change,
    ...(change.image === undefined ? {} : imageSet(before, change.image || null)),
    xcodeVersions: value(change.xcodeVersions, before.xcodeVersions),
    defaultXcode: change.defaultXcode === AUTO ? null : (change.defaultXcode ?? before.defaultXcode),
    runtimes: value(change.runtimes, before.runtimes),
    tools: value(change.tools, before.tools),
    spec: { ...before.spec, ...spec, macos },
    fromImage: fromImage.filter((name) =>
      given[name] === undefined ? before.fromImage.includes(name) : given[name] === AUTO,
    ),
  };
}

function checked(tier: Tier): Tier {
  const { cpu_cores, memory_gb, disk_gb } = tier.spec;
  const whole = { price_won: tier.priceWon, max_days: tier.maxDays, cpu_cores, memory_gb, disk_gb };
  for (const [field, value] of Object.entries(whole)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw invalid(field, fieldProblem('wrong_type', { kind: 'integer' }));
  }
  for (const [field, most] of Object.entries(MOST) as [keyof typeof MOST, number][]) {
    const value = tier.spec[field];
    if (value > most) throw invalid(field, fieldProblem('too_large', { most }));
  }
  if (tier.image !== null && !IMAGE_NAME.test(tier.image)) {
    throw invalid('image', fieldProblem('invalid_image', { value: tier.image }));
  }
  const xcodeVersions = unique(tier.xcodeVersions);
  const auto = tier.fromImage.includes('default_xcode');
  const defaultXcode = auto ? defaultXcodeOf({ ...tier, xcodeVersions }) : tier.defaultXcode;
  const unknown = tier.fromImage.includes('xcodes') && xcodeVersions.length === 0;
  if (defaultXcode !== null && !unknown && !xcodeVersions.includes(defaultXcode)) {
    throw invalid('default_xcode', fieldProblem('unknown_xcode', { value: defaultXcode }));
  }
  return { ...tier, xcodeVersions, defaultXcode, runtimes: unique(tier.runtimes), tools: unique(tier.tools) };
}

/** Far above every Mac: a value that is higher is a typing error. */
const MOST = { cpu_cores: 256, memory_gb: 4_096, disk_gb: 65_536 } as const;

/** Throws invalid_request if no host that makes virtual machines of the tier has the given cores or memory. */
function checkRoom(
  tier: string,
  { cpu_cores = 0, memory_gb = 0 }: Partial<Tier['spec']>,
  hosts: readonly Host[],
): void {
  const machines = hosts
    .filter(
      (host) => host.tier === tier && host.status !== 'removed' && (host.driver === null || isVirtual(host.driver)),
    )
    .flatMap(({ inventory }) => inventory ?? []);
  if (machines.length === 0) return;
  const cores = Math.max(...machines.map((machine) => machine.cpu_cores));
  const memory = Math.floor(Math.max(...machines.map((machine) => machine.memory_bytes)) / 1024 ** 3);
  if (cpu_cores > cores) {
    throw invalid('cpu_cores', fieldProblem('more_than_hosts', { most: cores }));
  }
  if (memory_gb > memory) {
    throw invalid('memory_gb', fieldProblem('more_than_hosts', { most: memory }));
  }
}

/** Returns the values without duplicates, in the given order. */
const unique = (names: readonly string[]): string[] => [...new Set(names)];

const invalid = (field: string, problem: Message) => fieldError('invalid_request', field, problem);
