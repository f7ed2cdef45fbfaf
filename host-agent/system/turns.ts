import { setImmediate } from 'node:timers/promises';

/**
 * Lets long loops of fast synchronous calls yield to the event loop, and stop when the signal is aborted. Call the
 * returned function in every iteration, and await what it returns.
 *
 * @example
 * const turn = takeTurns(signal, 256);
 * for (const path of paths) {
 *   await turn();
 *   lstatSync(path);
 * }
 */
export function takeTurns(signal: AbortSignal | undefined, every: number): () => Promise<void> | null {
  let rounds = 0;
  return () => {
    rounds += 1;
    if (rounds % every !== 0) return null;
    return setImmediate().then(() => signal?.throwIfAborted());
  };
}
