/** Polls until the condition is true; fails after `ms`, which a busy machine must not reach. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  ms = 60_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
