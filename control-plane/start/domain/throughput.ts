// How much was built, how long builds waited, and how much of the Macs and slots was used, in steps of time.

export interface BuildSpan {
  readonly createdAt: number;
  readonly startedAt: number;
  /** Null: it runs. */
  readonly endedAt: number | null;
  readonly status: string;
}

/** Something that exists for a time, such as a Mac. */
export interface Span {
  readonly from: number;
  /** Null: it still exists. */
  readonly to: number | null;
}

export interface ThroughputStep {
  readonly at: number;
  /** Started in the step. */
  readonly builds: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Waits of the builds that started in the step, ms; null: none started. */
  readonly waitP50: number | null;
  readonly waitP95: number | null;
  /** Time of builds, Macs and slots in the step, ms. */
  readonly buildMs: number;
  readonly macMs: number;
  readonly slotMs: number;
}

export interface ThroughputFigures {
  readonly steps: readonly ThroughputStep[];
  /** 95 % of all builds that started in the range waited at most this long, ms; null: none started. */
  readonly waitP95: number | null;
}

export interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Collects the figures of a range. Builds are added in any order, and need not be in memory together. */
export function createThroughput({ from, to, step }: Range, now: number) {
  const count = Math.ceil((to - from) / step);
  const steps = Array.from({ length: count }, () => ({
    builds: 0,
    succeeded: 0,
    failed: 0,
    waits: [] as number[],
    buildMs: 0,
    macMs: 0,
    slotMs: 0,
  }));

  /** Adds the part of the span that is in each step; the future does not count. */
  const spread = (field: 'buildMs' | 'macMs' | 'slotMs', span: Span) => {
    const begins = Math.max(span.from, from);
    const ends = Math.min(span.to ?? now, to, now);
    for (let i = Math.floor((begins - from) / step); i < count && from + i * step < ends; i++) {
      const entry = steps[i];
      const at = from + i * step;
      if (entry) entry[field] += Math.max(0, Math.min(ends, at + step) - Math.max(begins, at));
    }
  };

  return {
    addBuild({ createdAt, startedAt, endedAt, status }: BuildSpan) {
      spread('buildMs', { from: startedAt, to: endedAt });
      if (startedAt < from || startedAt >= to) return;
      const entry = steps[Math.floor((startedAt - from) / step)];
      if (!entry) return;
      entry.builds++;
      if (status === 'succeeded') entry.succeeded++;
      if (status === 'failed') entry.failed++;
      entry.waits.push(startedAt - createdAt);
    },
    addMac: (span: Span) => spread('macMs', span),
    addSlot: (span: Span) => spread('slotMs', span),
    result(): ThroughputFigures {
      const all = Float64Array.from(steps.flatMap(({ waits }) => waits)).sort();
      return {
        waitP95: quantile(all, 0.95),
        steps: steps.map(({ waits, ...rest }, i) => {
          waits.sort((a, b) => a - b);
          return {
            at: from + i * step,
            ...rest,
            waitP50: quantile(waits, 0.5),
            waitP95: quantile(waits, 0.95),
          };
        }),
      };
    },
  };
}

/** Returns the smallest value that at least this share of the values does not exceed. */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
