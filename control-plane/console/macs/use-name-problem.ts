import { LONGEST_MAC_NAME, type MacNameProblem, readMacName } from '../../../shared/mac-name.js';
import { Failure } from '../data/failure.js';
import { useWords } from '../words/use-words.js';
import { words } from './words.js';

/** Returns functions that say what is wrong with a name: before it is sent, and when the service has refused it. */
export function useNameProblem() {
  const { problem: w } = useWords(words);
  const textOf = (problem: MacNameProblem) => (problem === 'too_long' ? w.too_long(LONGEST_MAC_NAME) : w[problem]);
  return {
    before(name: string): string | null {
      const read = readMacName(name);
      return 'problem' in read ? textOf(read.problem) : null;
    },
    after: (error: unknown): string | null =>
      error instanceof Failure && error.code === 'name_taken' ? w.taken : null,
  };
}
