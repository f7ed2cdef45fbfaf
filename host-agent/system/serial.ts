/**
 * Returns a function that runs work one at a time, in the order of the calls. An error ends only its own call.
 *
 * @example
 * const cloning = serial();
 * await Promise.all([cloning(() => clone('a')), cloning(() => clone('b'))]); // b after a
 */
export function serial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
