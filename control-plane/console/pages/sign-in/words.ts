import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Sign in',
    forgotten: 'Forgot your password?',
    reasons: {
      pay: 'Sign in to see the order and pay it.',
      build: 'Sign in to see the build.',
      other: 'Sign in to see the page.',
    },
  },
  ko: {
    title: '로그인',
    forgotten: '비밀번호를 잊으셨나요?',
    reasons: {
      pay: '주문을 확인하고 결제하려면 로그인하세요.',
      build: '빌드를 확인하려면 로그인하세요.',
      other: '페이지를 보려면 로그인하세요.',
    },
  },
} satisfies Words;
