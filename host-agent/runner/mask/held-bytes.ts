// The bytes of a stream that are held back: appended at the end, taken from the front.

export interface HeldBytes {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Returns a view of all held bytes, valid until the next append. */
  view(): Buffer;
  dropFirst(count: number): void;
}

/** Memory for a few batches of a flood is kept for reuse. */
const KEPT_BYTES = 1024 * 1024;

export function createHeldBytes(): HeldBytes {
  let store = Buffer.alloc(0);
  let from = 0;
  let to = 0;
  return {
    get length() {
      return to - from;
    },
    append(bytes) {
      const length = to - from + bytes.length;
      if (to + bytes.length > store.length) {
        const target = length * 2 > store.length ? Buffer.allocUnsafe(length * 2) : store;
        store.copy(target, 0, from, to);
        store = target;
        to -= from;
        from = 0;
      }
      store.set(bytes, to);
      to += bytes.length;
    },
    view: () => store.subarray(from, to),
    dropFirst(count) {
      from += count;
      if (from < to) return;
      // Most of the time nothing is held; memory from one long stretch is then freed.
      if (store.length > KEPT_BYTES) store = Buffer.alloc(0);
      from = 0;
      to = 0;
    },
  };
}
