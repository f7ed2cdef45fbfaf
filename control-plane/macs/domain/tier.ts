// A tier: a kind of Mac for rent, with its price and the Xcode versions it offers.
import { bool, int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';

export interface TierSpec {
  readonly chip: string;
  readonly cpu_cores: number;
  readonly memory_gb: number;
  readonly disk_gb: number;
  readonly macos: string;
}

function readSpec(value: unknown): TierSpec {
  const field = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return {
    chip: String(field('chip') ?? ''),
    cpu_cores: Number(field('cpu_cores') ?? 0),
    memory_gb: Number(field('memory_gb') ?? 0),
    disk_gb: Number(field('disk_gb') ?? 0),
    macos: String(field('macos') ?? ''),
  };
}

export const tierFields = {
  /** Its id, e.g. `m4-pro`. */
  tier: text(),
  name: text(),
  /** One Mac for 24 hours, VAT included. */
  priceWon: int(),
  spec: json(readSpec),
  xcodeVersions: strings(),
  defaultXcode: text().orNull,
  runtimes: strings(),
  tools: strings(),
  /** The image that hosts create Macs from; not shown to customers. */
  image: text().orNull,
  /** What its tag stands for since the image was last set; null: no host has resolved it yet. */
  imageDigest: text().orNull,
  /** The digest before the same image was set again. */
  replacedDigest: text().orNull,
  /** Which values come from the image (`FromImage`). */
  fromImage: strings(),
  salesOpen: bool(),
  maxDays: int(),
};
export type Tier = RecordOf<typeof tierFields>;

/** Availability of a tier for one account. */
export interface TierAvailability {
  readonly tier: string;
  /** Slots on hosts that are in service. */
  readonly total: number;
  /** Macs that are free for this account. */
  readonly free: number;
  /** How many of them this account can order now. */
  readonly orderable: number;
  /** Slots reserved for a later time, or held by an unpaid order. */
  readonly reserved: number;
  /** Slots with a Mac. */
  readonly inUse: number;
  /** Macs requested on the waitlist. */
  readonly waitingUnits: number;
}
