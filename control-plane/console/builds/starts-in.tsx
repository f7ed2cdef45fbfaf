import { useFormat } from '../words/language.js';
import { useNow } from '../words/use-now.js';
import { useWords } from '../words/use-words.js';
import { words } from './words.js';

/** When a build that waits is expected to start. @param at ISO time */
export function StartsIn({ at }: { at: string }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  return <>{w.startsIn(format.about(Date.parse(at) - now))}</>;
}
