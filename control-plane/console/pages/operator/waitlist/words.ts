import type { Words } from '../../../words/words.js';

export const words = {
  en: {
    title: 'Waitlist',
    lead: 'In the order in which entries are notified when Macs become free.',
    macs: 'Macs',
    since: 'Waiting since',
    states: { waiting: 'waiting', notified: 'notified' },
    notified: 'Notified',
    emptyTitle: 'Nobody is waiting',
    empty: 'Organizations join the waitlist when no Mac of a tier is free.',
  },
  ko: {
    title: '대기 신청',
    lead: 'Mac이 비면 이 순서로 알립니다.',
    macs: 'Mac 수',
    since: '대기 시작',
    states: { waiting: '대기 중', notified: '알림 보냄' },
    notified: '알림 시각',
    emptyTitle: '대기 중인 조직이 없습니다',
    empty: '등급에 빈 Mac이 없으면 조직이 대기를 신청할 수 있습니다.',
  },
} satisfies Words;
