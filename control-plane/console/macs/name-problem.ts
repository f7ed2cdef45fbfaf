import { macNameProblem, readMacName } from '../../../shared/mac-name.js';
import type { Message } from '../../../shared/messages/message.js';

/** Returns what is wrong with the name of a Mac, or null. */
export function nameProblem(name: string): Message | null {
  const read = readMacName(name);
  return 'problem' in read ? macNameProblem(read.problem) : null;
}
