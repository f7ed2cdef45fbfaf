import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'No organization yet',
    text: (email: string) =>
      `${email} is not a member of an organization. Ask an owner or admin to invite this address and to send you the link.`,
  },
  ko: {
    title: '소속된 조직이 없습니다',
    text: (email: string) =>
      `${email} 계정은 아직 어떤 조직에도 속해 있지 않습니다. 조직의 소유자나 관리자에게 이 주소로 초대하고 링크를 보내 달라고 요청하세요.`,
  },
} satisfies Words;
