// Reusable memory for output frames. Otherwise a flood of output would allocate 256 KiB per frame, and collect it.

export interface FramePool {
  /** Takes memory of at least `bytes` bytes with undefined content. */
  take(bytes: number): Buffer;
  /** Returns memory to the pool. Memory that is never returned is garbage collected. */
  give(memory: Buffer): void;
}

/** @param keep maximum number of unused buffers */
export function createFramePool(keep = 8): FramePool {
  const free: Buffer[] = [];
  return {
    take(bytes) {
      const last = free.pop();
      // A shorter one was allocated under an earlier limit.
      return last && last.length >= bytes ? last : Buffer.allocUnsafeSlow(bytes);
    },
    give(memory) {
      if (free.length < keep) free.push(memory);
    },
  };
}
