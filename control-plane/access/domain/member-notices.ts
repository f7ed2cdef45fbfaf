// Notices about members. `by`: e-mail address of the person who made the change; null: an operator.
import type { Language } from '../../../shared/language.js';
import type { Role } from '../../platform/domain/role.js';
import type { NoticeText, NoticeWords } from './notice.js';
import { roleNames } from './role-names.js';

type By = string | null;

const changedBy: Readonly<Record<Language, (subject: string, by: By) => NoticeText>> = {
  en: (subject, by) => ({ subject, text: `${subject}.\n\nChanged by: ${by ?? 'an operator'}.` }),
  ko: (subject, by) => ({ subject, text: `${subject}.\n\n변경한 사람: ${by ?? '운영자'}` }),
};

export function roleChanged(email: string, from: Role, to: Role, by: By): NoticeWords {
  const { en, ko } = roleNames;
  return {
    en: changedBy.en(`${email} is now ${en[to]} (was ${en[from]})`, by),
    // All names of roles end in a vowel.
    ko: changedBy.ko(`${email} 님의 역할이 ${ko[from]}에서 ${ko[to]}로 변경되었습니다`, by),
  };
}

export const memberLeft = (email: string, by: By): NoticeWords => ({
  en: changedBy.en(`${email} has left the organization`, by),
  ko: changedBy.ko(`${email} 님이 조직을 나갔습니다`, by),
});

export const memberRemoved = (email: string, by: By): NoticeWords => ({
  en: changedBy.en(`${email} has been removed from the organization`, by),
  ko: changedBy.ko(`${email} 님이 조직에서 제거되었습니다`, by),
});

export function memberJoined(email: string, role: Role): NoticeWords {
  const en = `${email} has joined as ${roleNames.en[role]}`;
  const ko = `${email} 님이 ${roleNames.ko[role]}로 참여했습니다`;
  return { en: { subject: en, text: `${en}.` }, ko: { subject: ko, text: `${ko}.` } };
}
