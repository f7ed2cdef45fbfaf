import type { RentedMac } from '../../../../client/types.js';
import { useTimeLimit } from '../../data/session.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** Returns a function that says why a Mac cannot be extended; null: it can. */
export function useNoExtend(): (mac: RentedMac) => string | null {
  const { noExtend } = useWords(words);
  const deadline = useTimeLimit('extension_deadline_s');
  return ({ can_extend: can, hours, state }) => {
    if (can) return null;
    if (hours === null) return noExtend.granted;
    return state === 'reserved' ? noExtend.reserved : noExtend.other(deadline);
  };
}
