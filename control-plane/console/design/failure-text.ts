// The message of a failure in the person's language.
import { Failure } from '../data/failure.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';

export interface FailureText {
  readonly message: string;
  /** What to do next. */
  readonly advice: string | null;
}

/** Returns a function that gives the text of an error. */
export function useFailureText(): (error: unknown) => FailureText {
  const w = useWords(shared);
  return (error) => {
    if (!(error instanceof Failure)) return { message: w.unexpected, advice: messageOf(error) };
    if (error.code === 'unreachable') return { message: w.unreachable, advice: null };
    return { message: error.message, advice: null };
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
