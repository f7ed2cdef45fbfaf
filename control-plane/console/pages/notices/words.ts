import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Notices',
    lead: 'Messages from this service to the members of the organization.',
    leadMailed: 'Owners and admins also get them by e-mail.',
    unread: (n: string) => `${n} unread`,
    isNew: 'new',
    markAll: 'Mark all as read',
    emptyTitle: 'No notices yet',
    emptyText: 'Leaked keys, refunds, Macs that are free for the waitlist: what you should know appears here.',
  },
  ko: {
    title: '알림',
    lead: '서비스가 조직의 멤버에게 보내는 소식입니다.',
    leadMailed: '소유자와 관리자는 이메일로도 받습니다.',
    unread: (n: string) => `읽지 않은 알림 ${n}개`,
    isNew: '새 알림',
    markAll: '모두 읽음으로 표시',
    emptyTitle: '아직 알림이 없습니다',
    emptyText: '유출된 키, 환불, 대기 신청한 Mac의 이용 가능 여부 등 알아야 할 소식이 여기에 표시됩니다.',
  },
} satisfies Words;
