// Joins buffers in a reused scratch buffer: in a flood, allocating a new one per batch costs more than copying.

/** A larger buffer is not kept for reuse. */
const KEPT_BYTES = 1024 * 1024;

/** Returns a function whose result is valid until its next call, and while the pieces are. */
export function createJoiner(): (pieces: readonly Buffer[]) => Buffer {
  let memory = Buffer.alloc(0);
  return (pieces) => {
    if (pieces.length === 1) return pieces[0]!;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length > KEPT_BYTES) return Buffer.concat(pieces, length);
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(Math.min(KEPT_BYTES, 2 * length));
    let at = 0;
    for (const piece of pieces) at += piece.copy(memory, at);
    return memory.subarray(0, length);
  };
}
