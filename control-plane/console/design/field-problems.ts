// What is wrong with a field, in the person's language.
import { fieldProblems } from '../../../shared/messages/field-problems.js';
import { say } from '../../../shared/messages/message.js';
import type { FieldFailure } from '../data/failure.js';
import { useLanguage } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { asSentence } from './field-path.js';

/** Returns a function that gives the sentence of a problem; `list`: the field of several values that it is in. */
export function useProblemText(): (problem: FieldFailure, list?: string | null) => string {
  const language = useLanguage();
  const w = useWords(shared);
  return (problem, list = null) => {
    const text = asSentence(say(fieldProblems, language, problem), Object.values(problem.params));
    const place = list === null ? null : /^\d+$/.exec(problem.path.slice(list.length + 1));
    return place ? w.entry(Number(place[0]) + 1, text) : text;
  };
}
