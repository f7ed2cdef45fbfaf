import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Set up the first owner',
    lead: 'Nobody uses this service yet. You will own its first organization, and operate the service.',
    organization: 'Organization',
    organizationNote: 'Your company or team. It can have more people later.',
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    create: 'Create the owner',
    needed: 'Enter a value.',
    short: (n: number) => `Use at least ${n} characters.`,
    refusedTitle: 'This link does not work any more',
    refused:
      'The link was used or has expired, or the server has printed a newer one. If the first owner exists already, sign in.',
    signIn: 'Sign in',
    noTokenTitle: 'This link is incomplete',
    noToken: 'Open the address exactly as the server printed it when it started, with everything after the #.',
    noTokenNote:
      'Until the first owner exists, the server prints a new address on each start. An address is valid for a limited time.',
  },
  ko: {
    title: '첫 소유자 만들기',
    lead: '아직 이 서비스의 사용자가 없습니다. 첫 조직의 소유자이자 서비스 운영자가 됩니다.',
    organization: '조직',
    organizationNote: '회사나 팀의 이름입니다. 멤버는 나중에 추가할 수 있습니다.',
    name: '이름',
    email: '이메일',
    password: '비밀번호',
    create: '소유자 만들기',
    needed: '값을 입력하세요.',
    short: (n: number) => `${n}자 이상 입력하세요.`,
    refusedTitle: '더 이상 사용할 수 없는 링크입니다',
    refused: '이미 사용했거나 만료되었거나, 서버가 새 링크를 출력했습니다. 첫 소유자가 이미 있다면 로그인하세요.',
    signIn: '로그인',
    noTokenTitle: '링크가 완전하지 않습니다',
    noToken: '서버가 시작될 때 출력한 주소를 # 뒤의 문자까지 그대로 여세요.',
    noTokenNote: '사용자가 없는 동안에는 서버가 시작될 때마다 일정 시간 동안 유효한 새 주소를 출력합니다.',
  },
} satisfies Words;
