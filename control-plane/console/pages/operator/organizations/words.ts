import type { Words } from '../../../words/words.js';

export const words = {
  en: {
    title: 'Organizations',
    create: 'Create an organization',
    createText:
      'It begins with one workspace. Its first person is added on the command line, or invited by an owner.',
    name: 'Name',
    slug: 'Short name',
    slugNote: 'In addresses of the console; default: made from the name.',
    people: 'People',
    macs: 'Macs',
    storage: 'Storage',
    created: 'Created',
    search: 'Name, short name or id',
    states: { active: 'active', suspended: 'suspended', closed: 'closed' },
    blocked: 'payments blocked',
    emptyTitle: 'No organization',
    empty: 'Create one for each team.',
    noMatch: 'No organization matches.',
  },
  ko: {
    title: '조직',
    create: '조직 만들기',
    createText:
      '워크스페이스 하나와 함께 만들어집니다. 첫 사용자는 명령줄에서 추가하거나 소유자가 초대합니다.',
    name: '이름',
    slug: '짧은 이름',
    slugNote: '콘솔 주소에 사용됩니다. 비워 두면 이름으로 만듭니다.',
    people: '구성원',
    macs: 'Mac',
    storage: '저장 용량',
    created: '만든 날짜',
    search: '이름, 짧은 이름 또는 ID',
    states: { active: '사용 중', suspended: '정지됨', closed: '닫힘' },
    blocked: '결제 차단됨',
    emptyTitle: '조직이 없습니다',
    empty: '팀마다 조직을 하나씩 만드세요.',
    noMatch: '조건에 맞는 조직이 없습니다.',
  },
} satisfies Words;
