// The bytes of a stream that may not be shown yet: appended at the end, taken from the front.

export interface HeldBytes {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** A view of everything held, valid until the next append. */
  view(): Buffer;
  dropFirst(count: number): void;
}

/** Memory for a few batches of a flood is kept for the next ones. */
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
      // Nothing is held most of the time: the memory that one long stretch took goes with it.
      if (store.length > KEPT_BYTES) store = Buffer.alloc(0);
      from = 0;
      to = 0;
    },
  };
}
