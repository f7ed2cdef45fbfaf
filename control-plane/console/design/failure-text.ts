// The message of a failure in the person's language.
import { useEffect, useState } from 'react';
import { Failure } from '../data/failure.js';
import { useLanguage } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';

export interface FailureText {
  readonly message: string;
  /** What to do next. */
  readonly advice: string | null;
}

/** Not part of the first load; until they are there, only the API's message is shown. */
let errors: typeof import('../words/errors.js') | null = null;

/** Loads the texts of errors: once the first page is shown, and again after an interruption. */
export async function loadErrorTexts(): Promise<void> {
  errors ??= await import('../words/errors.js').catch((error: unknown) => {
    // Without a connection they come later; but they may also be there and fail to run.
    console.error(error);
    return null;
  });
}

/** Returns a function that gives the text of an error. */
export function useFailureText(): (error: unknown) => FailureText {
  const w = useWords(shared);
  const language = useLanguage();
  return (error) => {
    if (!(error instanceof Failure)) return { message: w.unexpected, advice: messageOf(error) };
    if (error.code === 'unreachable') return { message: w.unreachable, advice: null };
    const refusals = errors?.refusalText(error.refusals, language) ?? null;
    if (refusals !== null) return { message: refusals, advice: null };
    const words = errors?.wordsOfError(error.code, language);
    return { message: words?.what ?? error.message, advice: words?.next ?? null };
  };
}

/** Returns a function that gives what happened by an error's code, or null: the service's own message is all there is. */
export function useErrorMessages(): (code: string) => string | null {
  const language = useLanguage();
  const [, setLoaded] = useState(errors !== null);
  useEffect(() => void loadErrorTexts().then(() => setLoaded(true)), []);
  return (code) => errors?.wordsOfError(code, language)?.what ?? null;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
