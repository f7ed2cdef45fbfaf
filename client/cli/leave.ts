// Ctrl-C while waiting for something that continues without this command.
import type { CliContext } from './context.js';
import { EXIT_CANCELLED } from './exit-codes.js';

/**
 * Runs `work` with a signal that Ctrl-C, or SIGTERM, aborts; a second one ends the process at once.
 *
 * @returns what `work` makes; null when it failed because it was left
 */
export async function unlessLeft<T>(context: CliContext, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const left = new AbortController();
  const leave = () => {
    if (left.signal.aborted) context.exit(EXIT_CANCELLED);
    left.abort();
  };
  context.on('SIGINT', leave);
  context.on('SIGTERM', leave);
  try {
    return await work(left.signal);
  } catch (error) {
    if (!left.signal.aborted) throw error;
    return null;
  } finally {
    context.off('SIGINT', leave);
    context.off('SIGTERM', leave);
  }
}
