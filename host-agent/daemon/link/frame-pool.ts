// Memory for output frames, used again and again: a flood of output would else take a quarter of a megabyte anew for
// every frame, and the time to give it back.

export interface FramePool {
  /** Memory of at least so many bytes; what stands in it is undefined. */
  take(bytes: number): Buffer;
  /** Nobody reads this memory any more. What is never given back is simply forgotten. */
  give(memory: Buffer): void;
}

/** @param keep how many unused pieces are kept at most */
export function createFramePool(keep = 8): FramePool {
  const free: Buffer[] = [];
  return {
    take(bytes) {
      const last = free.pop();
      // One that is too short was made under an earlier limit.
      return last && last.length >= bytes ? last : Buffer.allocUnsafeSlow(bytes);
    },
    give(memory) {
      if (free.length < keep) free.push(memory);
    },
  };
}
