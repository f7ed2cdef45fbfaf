import type { Words } from '../words/words.js';

export const words = {
  en: {
    email: 'E-mail',
    password: 'Password',
    signIn: 'Sign in',
    wrong: 'E-mail or password is wrong.',
    passkey: 'Sign in with a passkey',
    continueAt: (name: string) => `Continue with ${name}`,
    passkeyCancelled: 'No passkey was used: it was canceled, or took too long.',
    appText: (host: string) => `Open your authenticator app and enter the code for Cidermill ${host}.`,
    code: 'Six-digit code',
    recoveryText:
      'Enter one of the recovery codes that you stored when you turned on two-step sign-in. Each works once.',
    recoveryCode: 'Recovery code',
    useRecovery: 'Use a recovery code',
    useApp: 'Use the authenticator app',
    back: 'Start over',
    expired: 'That took too long. Enter your password again.',
  },
  ko: {
    email: '이메일',
    password: '비밀번호',
    signIn: '로그인',
    wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
    passkey: '패스키로 로그인',
    continueAt: (name: string) => `${name} 계정으로 계속`,
    passkeyCancelled: '취소되었거나 시간이 초과되어 패스키를 사용하지 못했습니다.',
    appText: (host: string) => `인증 앱을 열고 Cidermill ${host}의 코드를 입력하세요.`,
    code: '6자리 코드',
    recoveryText: '2단계 로그인을 켤 때 보관한 복구 코드 중 하나를 입력하세요. 코드마다 한 번만 사용할 수 있습니다.',
    recoveryCode: '복구 코드',
    useRecovery: '복구 코드 사용',
    useApp: '인증 앱 사용',
    back: '처음부터 다시',
    expired: '시간이 초과되었습니다. 비밀번호를 다시 입력하세요.',
  },
} satisfies Words;
