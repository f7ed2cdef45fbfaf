import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Sign in',
    forgotten: 'Forgot your password? The operator of this service can reset it.',
    reasons: {
      pay: 'Sign in to see the order and pay it.',
      build: 'Sign in to see the build.',
      other: 'Sign in to see the page.',
    },
  },
  ko: {
    title: '로그인',
    forgotten: '비밀번호를 잊으셨나요? 서비스 운영자가 새 비밀번호를 발급할 수 있습니다.',
    reasons: {
      pay: '주문을 확인하고 결제하려면 로그인하세요.',
      build: '빌드를 확인하려면 로그인하세요.',
      other: '페이지를 보려면 로그인하세요.',
    },
  },
} satisfies Words;
