import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: 'Forgot your password?',
    lead: 'Enter the e-mail address that you sign in with. A link to choose a new password is sent there.',
    noMail:
      'This service sends no e-mail. Ask its operator for a link: “cidermill admin user reset-password” with your address prints one.',
    back: 'Back to sign-in',
    email: 'E-mail',
    send: 'Send the link',
    sent: (email: string, time: string) =>
      `If ${email} has an account here, the link is on its way. It works once, for ${time}. If nothing arrives, check your spam folder.`,
    deadTitle: 'This link does not work',
    dead: 'It was used, replaced by a newer one, or has expired.',
    again: 'Ask for a new link',
    chooseTitle: 'Choose a new password',
    chooseLead: (email: string) => `For ${email}. All sessions of this account end.`,
    password: 'New password',
    passwordNote: (n: number) => `At least ${n} characters.`,
    change: 'Change the password',
    changed: 'Your password is changed.',
    changedSignIn: 'Your password is changed. Sign in with it.',
  },
  ko: {
    title: '비밀번호를 잊으셨나요?',
    lead: '로그인에 사용하는 이메일 주소를 입력하세요. 새 비밀번호를 설정할 수 있는 링크를 보내드립니다.',
    noMail:
      '이 서비스는 이메일을 보내지 않습니다. 서비스 운영자에게 링크를 요청하세요. 운영자는 “cidermill admin user reset-password” 명령으로 링크를 만들 수 있습니다.',
    back: '로그인으로 돌아가기',
    email: '이메일',
    send: '링크 받기',
    sent: (email: string, time: string) =>
      `${email} 계정이 있다면 링크를 보냈습니다. 링크는 ${time} 동안 한 번만 사용할 수 있습니다. 이메일이 오지 않으면 스팸함을 확인하세요.`,
    deadTitle: '사용할 수 없는 링크입니다',
    dead: '이미 사용했거나, 새 링크로 대체되었거나, 만료된 링크입니다.',
    again: '새 링크 요청',
    chooseTitle: '새 비밀번호 설정',
    chooseLead: (email: string) => `${email} 계정의 비밀번호를 변경합니다. 이 계정의 모든 세션이 종료됩니다.`,
    password: '새 비밀번호',
    passwordNote: (n: number) => `${n}자 이상이어야 합니다.`,
    change: '비밀번호 변경',
    changed: '비밀번호를 변경했습니다.',
    changedSignIn: '비밀번호를 변경했습니다. 새 비밀번호로 로그인하세요.',
  },
} satisfies Words;
