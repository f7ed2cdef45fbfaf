import { ask } from './prompt.js';

/**
 * Asks a person who sits at a terminal; elsewhere the command line itself says what is wanted.
 *
 * @throws DOMException AbortError unless the answer is yes
 */
export async function confirm(question: string, yes = false): Promise<void> {
  if (yes || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new DOMException('nothing was changed', 'AbortError');
}
