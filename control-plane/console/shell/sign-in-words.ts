import type { Words } from '../words/words.js';

export const words = {
  en: {
    email: 'E-mail',
    password: 'Password',
    signIn: 'Sign in',
    wrong: 'E-mail or password is wrong.',
    missing: 'Enter your e-mail and your password.',
  },
  ko: {
    email: '이메일',
    password: '비밀번호',
    signIn: '로그인',
    wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
    missing: '이메일과 비밀번호를 입력하세요.',
  },
} satisfies Words;
