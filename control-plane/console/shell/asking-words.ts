import type { Words } from '../words/words.js';

export const words = {
  en: {
    confirmTitle: 'Confirm that it is you',
    confirmText: (time: string) => `You last entered your password more than ${time} ago. Enter it again to continue.`,
    password: 'Your password',
    wrongPassword: 'The password is wrong.',
    confirm: 'Continue',
    endedTitle: 'You are signed out',
    endedText: 'Your session has ended. Sign in to continue where you were; what you typed is still there.',
  },
  ko: {
    confirmTitle: '본인 확인',
    confirmText: (time: string) =>
      `마지막으로 비밀번호를 입력한 지 ${time} 넘게 지났습니다. 계속하려면 다시 입력하세요.`,
    password: '비밀번호',
    wrongPassword: '비밀번호가 올바르지 않습니다.',
    confirm: '계속',
    endedTitle: '로그아웃되었습니다',
    endedText:
      '세션이 종료되었습니다. 다시 로그인하면 하던 작업을 이어서 할 수 있습니다. 입력한 내용은 그대로 남아 있습니다.',
  },
} satisfies Words;
