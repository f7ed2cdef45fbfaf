import type { Clock } from '../../shared/clock.js';

/** Returns the result of the promise, or `otherwise` when it takes longer than `ms`. */
export async function within<T, U>(promise: Promise<T>, clock: Clock, ms: number, otherwise: U): Promise<T | U> {
  let give: (value: U) => void = () => undefined;
  const late = new Promise<U>((resolve) => {
    give = resolve;
  });
  const timer = clock.setTimeout(() => give(otherwise), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.cancel();
  }
}
