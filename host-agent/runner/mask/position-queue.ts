// A queue of stream positions in a growing ring buffer: where each symbol of a match came from.

export interface PositionQueue {
  length(): number;
  push(position: number): void;
  /** Drops the oldest entries so that `length` remain. */
  keep(length: number): void;
  /** Returns the entry at an index, counted from the oldest. */
  at(index: number): number;
  copyFrom(other: PositionQueue): void;
}

export function createPositionQueue(): PositionQueue {
  let ring = new Float64Array(64);
  let first = 0;
  let length = 0;

  const grow = (): void => {
    const wider = new Float64Array(ring.length * 2);
    for (let i = 0; i < length; i++) wider[i] = ring[(first + i) & (ring.length - 1)]!;
    ring = wider;
    first = 0;
  };

  return {
    length: () => length,
    push(position) {
      if (length === ring.length) grow();
      ring[(first + length) & (ring.length - 1)] = position;
      length += 1;
    },
    keep(kept) {
      first = (first + length - kept) & (ring.length - 1);
      length = kept;
    },
    at: (index) => ring[(first + index) & (ring.length - 1)]!,
    copyFrom(other) {
      length = 0;
      for (let i = 0; i < other.length(); i++) this.push(other.at(i));
    },
  };
}
