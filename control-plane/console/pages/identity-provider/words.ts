import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Signing in',
    titles: {
      'sign-in': 'Signing in',
      invite: 'Joining',
      confirm: 'Confirming that it is you',
      link: 'Linking the account',
    },
    failedTitles: {
      'sign-in': 'Sign-in failed',
      invite: 'Joining failed',
      confirm: 'Confirmation failed',
      link: 'Linking failed',
    },
    lostTitle: 'Nothing to continue here',
    leaving: 'You are being sent to the identity provider.',
    done: 'Done. You can close this tab.',
    lost: 'This address was opened a second time, or not in the tab in which you began to sign in.',
    again: 'Start again',
    usual: 'Sign in another way',
    signInAndLink: 'Sign in and link it',
    toSettings: 'Back to the settings',
    toInvite: 'Back to the invitation',
    closeTab: 'Close this tab and try again in the previous tab.',
  },
  ko: {
    title: '로그인 중',
    titles: { 'sign-in': '로그인 중', invite: '참여 중', confirm: '본인 확인 중', link: '계정 연결 중' },
    failedTitles: {
      'sign-in': '로그인하지 못했습니다',
      invite: '참여하지 못했습니다',
      confirm: '본인 확인을 하지 못했습니다',
      link: '계정을 연결하지 못했습니다',
    },
    lostTitle: '진행 중인 로그인이 없습니다',
    leaving: '외부 로그인 페이지로 이동합니다.',
    done: '완료되었습니다. 이 탭을 닫아도 됩니다.',
    lost: '주소를 다시 열었거나, 로그인을 시작한 탭이 아닙니다.',
    again: '다시 시도',
    usual: '다른 방법으로 로그인',
    signInAndLink: '로그인하고 연결',
    toSettings: '설정으로 돌아가기',
    toInvite: '초대로 돌아가기',
    closeTab: '이 탭을 닫고 이전 탭에서 다시 시도하세요.',
  },
} satisfies Words;
