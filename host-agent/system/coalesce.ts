/**
 * Returns a function that runs `work`, one run at a time. Calls made during a run cause one more run after it, however
 * many they are. The returned promise resolves when no run is left. `work` handles its own errors.
 *
 * @example const refresh = coalesce(async () => { state = await load(); });
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  const loop = async () => {
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      running = null;
    }
  };
  return () => {
    again = true;
    running ??= loop();
    return running;
  };
}
