// Whether what was typed names an entry of the palette. Case and accents do not count, and a Korean syllable matches from its
// first key on: 빌드 is found by ㅂ, 비, 빌 and, of its first consonants alone, ㅂㄷ.

const CONSONANTS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ';
/** The consonants that can end a syllable, by their order in Unicode, as they are typed. */
const FINALS =
  'ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'.split(' ');
/** Vowels that are typed as two. */
const VOWELS: Readonly<Record<string, string>> = {
  ᅪ: 'ᅩᅡ',
  ᅫ: 'ᅩᅢ',
  ᅬ: 'ᅩᅵ',
  ᅯ: 'ᅮᅥ',
  ᅰ: 'ᅮᅦ',
  ᅱ: 'ᅮᅵ',
  ᅴ: 'ᅳᅵ',
};
const FIRST_FINAL = 0x11a8;
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES_OF_A_CONSONANT = 588;

/** Returns the text as it is compared: without accents and case, Korean as the keys that type it. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\u11a8-\u11c2]/g, (final) => FINALS[final.charCodeAt(0) - FIRST_FINAL] ?? final)
    .replace(/[\u1161-\u1175]/g, (vowel) => VOWELS[vowel] ?? vowel)
    // What was made of final consonants is written as the first consonants are.
    .normalize('NFKD');

/** Returns the first consonants of the Korean syllables of a text. */
const consonantsOf = (text: string): string =>
  [...text.normalize('NFC').replace(/[^\uac00-\ud7a3]/g, '')]
    .map((one) => CONSONANTS[Math.floor((one.charCodeAt(0) - FIRST_SYLLABLE) / SYLLABLES_OF_A_CONSONANT)])
    .join('');

/** How well a name matches: the smaller the better; null: it does not. */
export type Rank = 0 | 1 | 2 | null;

/**
 * Returns how well names match a query: 0 if one begins with it, 1 if its words begin words of the names, 2 if they occur
 * in them. Every word of the query has to.
 *
 * @example matcherOf('rent')(['Rent a Mac', 'Mac 대여']) // 0
 */
export function matcherOf(query: string): (names: readonly string[]) => Rank {
  const whole = fold(query.trim());
  const wanted = whole.split(/\s+/);
  const typed = query.normalize('NFC').replace(/\s/g, '');
  const consonants = typed !== '' && [...typed].every((one) => CONSONANTS.includes(one)) ? typed : null;
  return (names) => {
    const folded = names.map(fold);
    if (folded.some((name) => name.startsWith(whole))) return 0;
    const ranks = wanted.map((word) => rankOfWord(word, folded));
    if (!ranks.includes(null)) return ranks.includes(2) ? 2 : 1;
    return consonants !== null && names.some((name) => consonantsOf(name).includes(consonants)) ? 2 : null;
  };
}

function rankOfWord(word: string, names: readonly string[]): Rank {
  const places = names.flatMap((name) => {
    const found: string[] = [];
    for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) found.push(name.charAt(at - 1));
    return found;
  });
  if (places.length === 0) return null;
  return places.some((before) => !/[\p{L}\p{N}]/u.test(before)) ? 1 : 2;
}

/** Returns the entries that match, the best first; equal ones keep their order. */
export function matching<E extends { readonly names: readonly string[] }>(entries: readonly E[], query: string): E[] {
  const rankOf = matcherOf(query);
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry.names);
      return rank === null ? [] : [{ entry, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}
