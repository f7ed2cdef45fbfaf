// What operators read about a credential that somebody else seems to use.
import type { Language } from '../../../shared/language.js';
import type { CredentialConflict } from './host.js';

/**
 * @param at when it was, as the sentence says it
 *
 * @example conflictWords(conflict, '3m ago').en // 'another machine used its credential 3m ago, from 192.0.2.7 (before: 192.0.2.1)'
 */
export function conflictWords(
  { how = 'two_agents', addresses }: CredentialConflict,
  at: string,
): Readonly<Record<Language, string>> {
  if (how === 'two_agents') {
    const both = addresses.join(', ');
    return {
      en: `two agents used its credential ${at}, from ${both}`,
      ko: `${at} 두 에이전트가 같은 인증 정보를 사용했습니다(${both})`,
    };
  }
  const [before, now] = addresses;
  return {
    en: `another machine used its credential ${at}, from ${now} (before: ${before})`,
    ko: `${at} 다른 기기가 인증 정보를 사용했습니다(${now}, 이전: ${before})`,
  };
}
