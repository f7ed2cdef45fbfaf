// The names of roles in texts for people.

export const roleNames = {
  en: { owner: 'owner', admin: 'admin', developer: 'developer' },
  ko: { owner: '소유자', admin: '관리자', developer: '개발자' },
} as const;
