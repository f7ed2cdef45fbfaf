// Ctrl-C while waiting for something that continues without this process.
import { EXIT_CANCELLED } from './exit-codes.js';

/**
 * Runs `work` with a signal that Ctrl-C, or SIGTERM, aborts; a second one ends the process at once.
 *
 * @returns what `work` makes; null when it failed because it was left
 */
export async function unlessLeft<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const left = new AbortController();
  const leave = () => {
    if (left.signal.aborted) process.exit(EXIT_CANCELLED);
    left.abort();
  };
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
  try {
    return await work(left.signal);
  } catch (error) {
    if (!left.signal.aborted) throw error;
    return null;
  } finally {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  }
}
