import type { Words } from '../words/words.js';

export const words = {
  en: {
    confirmTitle: 'Confirm that it is you',
    confirmText: (time: string) => `You last entered your password more than ${time} ago. Enter it again to continue.`,
    password: 'Your password',
    confirm: 'Continue',
    confirmAgain: (time: string) => `You last confirmed that it is you more than ${time} ago.`,
    code: 'Code of your authenticator app, or a recovery code',
    wrongCode: 'The code is wrong, or was used before.',
    usePasskey: 'Use a passkey',
    passkeyCancelled: 'No passkey was used: it was canceled, or took too long.',
    providerText: (name: string) =>
      `Sign in at ${name} again, in the tab that opens. This page then continues by itself.`,
    openProvider: (name: string) => `Continue with ${name}`,
    tabBlocked: 'The browser has not opened the tab. Allow pop-ups for this site, then try again.',
    otherWay: 'Use another way',
    endedTitle: 'You are signed out',
    endedText: 'Your session has ended. Sign in to continue where you were; what you typed is still there.',
  },
  ko: {
    confirmTitle: '본인 확인',
    confirmText: (time: string) =>
      `마지막으로 비밀번호를 입력한 지 ${time} 넘게 지났습니다. 계속하려면 다시 입력하세요.`,
    password: '비밀번호',
    confirm: '계속',
    confirmAgain: (time: string) => `마지막으로 본인을 확인한 지 ${time} 넘게 지났습니다.`,
    code: '인증 앱의 코드 또는 복구 코드',
    wrongCode: '코드가 올바르지 않거나 이미 사용되었습니다.',
    usePasskey: '패스키 사용',
    passkeyCancelled: '취소되었거나 시간이 초과되어 패스키를 사용하지 못했습니다.',
    providerText: (name: string) =>
      `새로 열리는 탭에서 ${name} 계정으로 다시 로그인하세요. 로그인하면 이 페이지가 자동으로 이어집니다.`,
    openProvider: (name: string) => `${name} 계정으로 계속`,
    tabBlocked: '브라우저가 새 탭을 차단했습니다. 이 사이트의 팝업을 허용한 뒤 다시 시도하세요.',
    otherWay: '다른 방법 사용',
    endedTitle: '로그아웃되었습니다',
    endedText:
      '세션이 종료되었습니다. 다시 로그인하면 하던 작업을 이어서 할 수 있습니다. 입력한 내용은 그대로 남아 있습니다.',
  },
} satisfies Words;
