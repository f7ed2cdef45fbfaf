// Joins pieces in memory that is used again and again: a flood would else take new memory for every batch, which costs
// more than the copying.

/** More than this is not kept: one long stretch must not cost its memory for ever. */
const KEPT_BYTES = 1024 * 1024;

/** What the function returns is valid until the next call, and as long as the pieces are. */
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
