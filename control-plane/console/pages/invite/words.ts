import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Invitation',
    titleOf: (name: string) => `Join ${name}`,
    from: (by: string, email: string, role: string) => `${by} invites ${email} to join as ${role}.`,
    operator: 'an operator of this service',
    validUntil: 'The invitation works once, until',
    deadTitle: 'This invitation does not work',
    dead: 'It has been used, revoked or replaced, has expired, or the link is incomplete. Ask the person who invited you for a new one.',
    home: 'Go to the console',
    asYourself: (email: string) => `You are signed in as ${email}.`,
    otherAccount: (as: string, email: string) =>
      `You are signed in as ${as}. The invitation is for ${email}: accepting it signs you in as that person.`,
    email: 'E-mail',
    name: 'Your name',
    password: 'Password',
    passwordKnown: 'You have an account here. Enter its password.',
    passwordNew: 'At least 12 characters. You sign in with it from now on.',
    needed: 'Enter a value.',
    short: 'Use at least 12 characters.',
    wrong: 'The password is wrong.',
    accept: (name: string) => `Join ${name}`,
  },
  ko: {
    title: '초대',
    titleOf: (name: string) => `${name} 참여`,
    from: (by: string, email: string, role: string) =>
      `${by} 님이 ${email} 주소로 초대했습니다. 역할: ${role}`,
    operator: '서비스 운영자',
    validUntil: '초대는 한 번만 사용할 수 있으며 다음 시각에 만료됩니다:',
    deadTitle: '사용할 수 없는 초대입니다',
    dead: '이미 사용했거나 취소 또는 만료되었거나, 링크가 완전하지 않습니다. 초대한 사람에게 새 초대를 요청하세요.',
    home: '콘솔로 이동',
    asYourself: (email: string) => `${email} 계정으로 로그인되어 있습니다.`,
    otherAccount: (as: string, email: string) =>
      `${as} 계정으로 로그인되어 있습니다. 이 초대는 ${email} 계정용이며, 수락하면 해당 계정으로 로그인됩니다.`,
    email: '이메일',
    name: '이름',
    password: '비밀번호',
    passwordKnown: '이미 계정이 있습니다. 해당 계정의 비밀번호를 입력하세요.',
    passwordNew: '12자 이상 입력하세요. 앞으로 이 비밀번호로 로그인합니다.',
    needed: '값을 입력하세요.',
    short: '12자 이상 입력하세요.',
    wrong: '비밀번호가 올바르지 않습니다.',
    accept: (name: string) => `${name} 참여하기`,
  },
} satisfies Words;
