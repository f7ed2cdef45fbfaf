import { setImmediate } from 'node:timers/promises';

/**
 * Long loops of quick synchronous calls give way to the rest of the process now and then, and stop when the
 * signal says so. Call the function once a round, and await what it returns unless that is null.
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
