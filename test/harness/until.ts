const SHORTEST_MS = 5;
const LONGEST_MS = 50;

/**
 * Polls until the condition is true; fails after `ms`, which a busy machine must not reach. The longer it has waited, the less
 * often it asks, so that waiting takes little of the processor time that others need.
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 180_000): Promise<void> {
  const start = Date.now();
  while (!(await holds())) {
    const waited = Date.now() - start;
    if (waited > ms) throw new Error(`waited ${ms} ms in vain: ${what}`);
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waited / 5));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
