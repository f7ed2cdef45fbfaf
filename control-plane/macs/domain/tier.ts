// A tier: what is rented, with its price and what can be selected on it.

export interface TierSpec {
  readonly chip: string;
  readonly cpu_cores: number;
  readonly memory_gb: number;
  readonly disk_gb: number;
  readonly macos: string;
}

export interface Tier {
  /** Its id, e.g. `m4-pro`. */
  readonly tier: string;
  readonly name: string;
  /** One Mac for 24 hours, VAT included. */
  readonly priceWon: number;
  readonly spec: TierSpec;
  readonly xcodeVersions: readonly string[];
  readonly defaultXcode: string | null;
  readonly runtimes: readonly string[];
  readonly tools: readonly string[];
  /** What a host makes its Macs of; means nothing to customers. */
  readonly image: string | null;
  readonly salesOpen: boolean;
  readonly maxDays: number;
}

/** The Macs of a tier, as one account may see them now. */
export interface TierStock {
  readonly tier: string;
  /** Slots on hosts that are in service. */
  readonly total: number;
  /** Macs that this account could order now. */
  readonly free: number;
  /** Slots that somebody has for a later time, or has ordered and not yet paid. */
  readonly reserved: number;
  /** Slots with a Mac. */
  readonly inUse: number;
  /** Macs that accounts wait for. */
  readonly waitingUnits: number;
}
