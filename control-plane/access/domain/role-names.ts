// The names of roles in texts for people.
import type { Language } from '../../../shared/language.js';
import type { Role } from '../../platform/domain/role.js';

export const roleNames: Readonly<Record<Language, Readonly<Record<Role, string>>>> = {
  en: { owner: 'owner', admin: 'admin', developer: 'developer' },
  ko: { owner: '소유자', admin: '관리자', developer: '개발자' },
};
