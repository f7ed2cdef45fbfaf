import type { CliContext } from './context.js';
import { ask } from './prompt.js';
import { UsageError } from './usage-error.js';

/**
 * Asks for confirmation on a terminal.
 *
 * @param yes `-y` was given: skips the question
 * @throws DOMException AbortError unless the answer is yes, UsageError when nobody can be asked
 */
export async function confirm(context: CliContext, question: string, yes = false): Promise<void> {
  if (yes) return;
  if (!context.stdin.isTTY || !context.stderr.isTTY) {
    throw new UsageError(`${question} Without a terminal, confirm with -y.`);
  }
  const answer = await ask(context, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new DOMException('nothing was changed', 'AbortError');
}
