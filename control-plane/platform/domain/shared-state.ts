// What several processes on one database count and lock together. A service with one process has it in its memory.

/** Buckets of tokens that all processes take from. */
export interface SharedBuckets {
  /**
   * Fills the bucket for the time that has passed, by `perMinute` tokens a minute up to that many, and takes from it.
   *
   * @param back tokens taken before that were not used
   * @returns how many of the wanted (whole) tokens were there, and what is left
   */
  take(
    name: string,
    perMinute: number,
    wanted: number,
    back: number,
  ): Promise<{ readonly given: number; readonly left: number }>;
}

/** Amounts that processes hold of something. What a process held no longer counts once it has died. */
export interface SharedCounts {
  /**
   * Holds `amount` more, unless all processes together would then hold more than `most`.
   *
   * @returns what all hold together then; null: not held
   */
  take(name: string, amount: number, most: number): Promise<number | null>;
  /** Holds `amount` less; the others see it soon. */
  give(name: string, amount: number): void;
  /** What all hold together. */
  total(name: string): Promise<number>;
}

/** One holder at a time, in all processes. A process that dies or stops for long holds nothing. */
export interface SharedLocks {
  /** Waits for its turn. Returns the function that ends it. */
  acquire(name: string): Promise<() => void>;
}

/** What other processes hold, as of about a second ago: for decisions that cannot wait and may be slightly wrong. */
export interface SharedSightings {
  /** Tells others how many there are here. */
  set(name: string, here: number): void;
  /** How many there were lately in other processes; 0 for a name that was never set here. */
  elsewhere(name: string): number;
}

export interface SharedState {
  readonly buckets: SharedBuckets;
  readonly counts: SharedCounts;
  readonly locks: SharedLocks;
  readonly sightings: SharedSightings;
  close(): Promise<void>;
}
